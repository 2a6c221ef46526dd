import { callApart } from '../base/files/call-apart.ts'
import { codeOf } from '../base/run/errors.ts'
import { runCommand } from './command.ts'
import { deliverToFile } from './file.ts'
import { type Delivered, type DeliveryTools, failed, type Message } from './message.ts'
import type { DeliveryTarget } from './target.ts'
import { deliverByWebhook } from './webhook.ts'

/**
 * Tries once to deliver to one receiver; the caller records failures and tries again. Delivery is
 * at least once: after a lost answer, the next try sends the same id. Never throws. No error holds
 * a secret, or more of an address than its host.
 */
export async function deliver(
  target: DeliveryTarget,
  message: Message,
  tools: DeliveryTools,
): Promise<Delivered> {
  try {
    return await bring(target, message, tools)
  } catch (error) {
    // A template stays wrong until a user corrects it. Faults of disks and networks pass.
    return failed(error, codeOf(error)?.startsWith('template.') ?? false)
  }
}

async function bring(
  target: DeliveryTarget,
  message: Message,
  tools: DeliveryTools,
): Promise<Delivered> {
  switch (target.kind) {
    case 'file':
      return callApart(target.dir, {
        module: 'deliver/file-process',
        method: 'deliver',
        argument: { target, message },
        here: () => deliverToFile(target, message),
      })
    case 'webhook':
      return deliverByWebhook(target, message, tools)
    case 'email': {
      // SMTP and HTML modules are loaded only when a mail is sent.
      const { deliverByEmail } = await import('./email.ts')
      return deliverByEmail(target, message, tools)
    }
    case 'command':
      return runCommand(target, message, tools)
  }
}
