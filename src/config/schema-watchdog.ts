import { z } from 'zod'
import { duration } from './fields.ts'

export const watchdog_schema = z.strictObject({
  silence_ms: duration('ms', {
    usual: '5m',
    least: 1_000,
    most: 86_400_000,
    about:
      'When something that is being worked on (a step of a worker, a call of the ledger, the reading of a file, the requests to ' +
      'the service) has not moved for so long, the log says what, the promise `progress` of health is broken, which is told by ' +
      'alerts, and /healthz fails; under systemd the daemon is restarted after WatchdogSec more. Waiting is no silence: a service that is down, a large upload whose bytes move, a huge folder. Never less than ' +
      'twice the longest that one request may be silent, whatever stands here. Default 5m: a busy disk answers within a minute.',
  }),
})
