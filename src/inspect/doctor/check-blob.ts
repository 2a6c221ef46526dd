import { type Check, ok } from './check.ts'
import { checkHost } from './check-hosts.ts'
import type { DoctorTools } from './doctor-tools.ts'

/** The service names the host with every upload; the origin of the last one is kept. */
export async function checkBlobHost(tools: DoctorTools, ca: string | undefined): Promise<Check[]> {
  const origin = tools.ledger?.blobOrigin()
  if (origin === undefined || !URL.canParse(origin)) {
    return [ok('blob_host', 'blob store', 'not known before the first upload: run this again after it')]
  }
  return [await checkHost('blob_host', new URL(origin), tools, { pem: ca, field: 'service.ca_file' })]
}
