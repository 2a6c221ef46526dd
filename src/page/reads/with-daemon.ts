import { SluiceError } from '../../base/run/errors.ts'
import type { Config } from '../../config/config.ts'
import { type ControlClient, connectControl } from '../../control/control-client.ts'

/** Runs `use` with the daemon. Error `answer.no_daemon`; `hint` says what to do then. */
export async function withDaemon<Answer>(
  { config }: { config: Pick<Config, 'state_dir'> },
  use: (daemon: ControlClient) => Promise<Answer>,
  hint?: string,
): Promise<Answer> {
  const daemon = await connectControl(config.state_dir)
  if (!daemon)
    throw new SluiceError({
      code: 'answer.no_daemon',
      message: 'no daemon is running that could do this',
      hint,
    })
  try {
    return await use(daemon)
  } finally {
    await daemon.close()
  }
}

export function notThere(): SluiceError {
  return new SluiceError({
    code: 'page.not_there',
    message: 'there is nothing here, or you may not see it',
  })
}
