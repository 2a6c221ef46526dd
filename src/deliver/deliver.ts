import { codeOf } from '../base/run/errors.ts'
import { runCommand } from './command.ts'
import { deliverToFile } from './file.ts'
import type { Message } from './message.ts'
import { type Delivered, type DeliveryTools, failed } from './outcome.ts'
import type { DeliveryTarget } from './target.ts'
import { deliverByWebhook } from './webhook.ts'

export type { Delivered, DeliveryTools } from './outcome.ts'

/**
 * One try to bring a message to one receiver; the caller keeps what is still to be delivered and tries again. At least once:
 * a try whose answer was lost is repeated with the same id. Never throws; no error holds a secret or more of an address than
 * its host.
 */
export async function deliver(target: DeliveryTarget, message: Message, tools: DeliveryTools): Promise<Delivered> {
  try {
    return await bring(target, message, tools)
  } catch (error) {
    // A template stays wrong until somebody mends it; disks and networks mend themselves.
    return failed(error, codeOf(error)?.startsWith('template.') ?? false)
  }
}

async function bring(target: DeliveryTarget, message: Message, tools: DeliveryTools): Promise<Delivered> {
  switch (target.kind) {
    case 'file':
      return deliverToFile(target, message)
    case 'webhook':
      return deliverByWebhook(target, message, tools)
    case 'email': {
      // What speaks SMTP and makes HTML is loaded by those alone who get mail.
      const { deliverByEmail } = await import('./email.ts')
      return deliverByEmail(target, message, tools)
    }
    case 'command':
      return runCommand(target, message, tools)
  }
}
