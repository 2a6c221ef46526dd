import { createServer as createTcpServer } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SluiceError } from '../../src/base/run/errors.ts'
import { apiUrl, parseBaseUrl, parseUploadUrl } from '../../src/remote/api.ts'
import { asset_id, failureOf, label_id, project_id, remoteAt, successOf, token } from './fixture.ts'
import { listen, startServer } from './recording-server.ts'

const record = { asset_id, status: 'ready' }

describe('the token', () => {
  test('goes to the API with the project, and no other header is added', async () => {
    const server = await startServer([{ status: 200, body: record }])
    await remoteAt(server.origin).readAsset(project_id, asset_id)
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'GET', path: `/v1/assets/${asset_id}` })
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      'x-api-key': token,
      'x-project-id': project_id,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'sluice-test',
    })
  })

  test('goes to no redirect target, neither on another host nor on the same one', async () => {
    const other = await startServer([{ status: 200, body: record }])
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await startServer([
        { status, headers: { location: `${other.origin}/v1/assets?key=SECRET` } },
      ])
      const outcome = await remoteAt(server.origin).createAsset(project_id, {
        filename: 'a',
        mime_type: 'a/b',
      })
      const failure = failureOf(outcome)
      expect(failure).toMatchObject({ about: 'unknown_protocol', status })
      expect(failure.message).toContain(`${other.origin} that is not followed`)
      expect(failure.message).not.toContain('SECRET')
      expect(server.requests).toHaveLength(1)
    }
    expect(other.requests).toEqual([])
  })

  test('appears in no failure, even where the service echoes it', async () => {
    const code = `publicapi.${token.toLowerCase()}.odd`
    const echo = { code, humane: `The key ${token} is not valid.`, statusCode: 401 }
    const server = await startServer([
      { status: 401, body: echo },
      { status: 400, body: JSON.stringify(token) },
      { status: 302, headers: { location: `https://${token}.example/` } },
      { status: 200, body: `{"asset_id":"${token}"` },
      { status: 200, body: { asset_id: token, status: token } },
      { status: 500, body: token },
    ])
    const remote = remoteAt(server.origin, { token: () => token.toLowerCase() })
    for (let round = 0; round < 6; round++) {
      const failure = failureOf(await remote.readAsset(project_id, asset_id))
      expect(JSON.stringify(failure).toLowerCase()).not.toContain(token.toLowerCase())
    }
    expect(server.requests).toHaveLength(6)
    const loud = failureOf(await remoteAt(server.origin).readAsset(project_id, asset_id))
    expect(JSON.stringify(loud)).not.toContain(token)
  })

  test('is used in its new form at once after a rotation', async () => {
    const server = await startServer([{ status: 200, body: record }])
    let current = 'pat_one'
    const remote = remoteAt(server.origin, { token: () => current })
    await remote.readAsset(project_id, asset_id)
    current = 'pat_two'
    await remote.readAsset(project_id, asset_id)
    expect(server.requests.map((request) => request.headers['x-api-key'])).toEqual([
      'pat_one',
      'pat_two',
    ])
  })

  test('A-36 that the service repeats is masked in each form, whatever its characters', async () => {
    const odd = `pat_***"\\%&/?<>{}|^~abcdefghijklmnop`
    expect(odd).toHaveLength(36)
    const forms = [odd, encodeURIComponent(odd), JSON.stringify(odd).slice(1, -1)]
    const server = await startServer(
      forms.map((form) => ({
        status: 400,
        body: { code: '', humane: `No: x${form}, ${form}`, statusCode: 400 },
      })),
    )
    const remote = remoteAt(server.origin, { token: () => odd })
    for (const _ of forms) {
      const { humane } = failureOf(
        await remote.createAsset(project_id, { filename: 'a', mime_type: 'a/b' }),
      )
      expect(humane).toMatch(/^No: x/)
      expect(humane).not.toContain('bcdefg')
    }
    expect(server.requests.map((request) => request.headers['x-api-key'])).toEqual([odd, odd, odd])
  })

  test('that was refused is called the old one if it has changed since', async () => {
    const refusal = { status: 401, body: { code: 'publicapi.auth.invalid', statusCode: 401 } }
    const server = await startServer([refusal, refusal])
    const tokens = ['pat_one', 'pat_two', 'pat_two', 'pat_two']
    const remote = remoteAt(server.origin, { token: () => tokens.shift()! })
    const late = failureOf(await remote.readAsset(project_id, asset_id))
    expect(late).toMatchObject({ about: 'account', of_old_token: true })
    expect(failureOf(await remote.readAsset(project_id, asset_id)).of_old_token).toBeUndefined()
  })

  test('that cannot be read or sent is the account’s failure, and nothing is sent', async () => {
    const server = await startServer()
    const missing = () => {
      throw new SluiceError({ code: 'token.missing', message: 'the token file is not there' })
    }
    const tokens = [() => 'pat_SECRET\r\nx-evil: 1', () => '', () => 'pat_SECRÉT', missing]
    for (const read of tokens) {
      const failure = failureOf(
        await remoteAt(server.origin, { token: read }).readAsset(project_id, asset_id),
      )
      expect(failure.about).toBe('account')
      expect(failure.message).not.toMatch(/SECR/)
    }
    expect(server.requests).toEqual([])
    const broken = remoteAt(server.origin, {
      token: () => {
        throw new TypeError('a bug')
      },
    })
    await expect(broken.readAsset(project_id, asset_id)).rejects.toThrow(TypeError)
  })
})

describe('addresses', () => {
  test('a base address may have a path, a trailing slash, or both', async () => {
    const server = await startServer([{ status: 200, body: record }])
    for (const base of ['', '/', '/team/a', '/team/a//']) {
      await remoteAt(server.origin + base).readAsset(project_id, asset_id)
    }
    expect(server.requests.map((request) => request.path)).toEqual([
      `/v1/assets/${asset_id}`,
      `/v1/assets/${asset_id}`,
      `/team/a/v1/assets/${asset_id}`,
      `/team/a/v1/assets/${asset_id}`,
    ])
  })

  test('an address is https, or http to this machine', () => {
    for (const good of [
      'https://api.example',
      'http://127.0.0.1:80',
      'http://localhost:1/x/',
      'http://[::1]',
    ]) {
      expect(() => parseBaseUrl(good), good).not.toThrow()
      expect(parseUploadUrl(`${good}/blob?sig=1`), good).toBeDefined()
    }
    const bad = [
      'http://api.example',
      'http://localhost.example',
      'http://127.0.0.1.example',
      'ftp://api.example',
      'file:///etc/passwd',
      'https://me:SECRET@api.example',
      'api.example',
      '',
      'unix:/x',
      'data:text/plain,x',
    ]
    for (const address of bad) {
      expect(() => parseBaseUrl(address), address).toThrow(
        expect.objectContaining({ code: 'config.base_url' }),
      )
      expect(() => parseBaseUrl(address), address).not.toThrow(/SECRET/)
      expect(parseUploadUrl(address), address).toBeUndefined()
    }
    expect(() => parseBaseUrl('https://api.example/?x=1')).toThrow(SluiceError)
    expect(() => remoteAt('http://api.example')).toThrow(
      expect.objectContaining({ code: 'config.base_url' }),
    )
  })

  test('any id stays in its place in the path and on its host', () => {
    const base = parseBaseUrl('https://api.example/team')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (id) => {
        const url = apiUrl(base, ['assets', id, 'complete'], { after_id: id })
        expect(url.origin).toBe('https://api.example')
        // URL parsers remove a dot segment; ids are checked before they come here.
        if (!/^\.{1,2}$/.test(id)) expect(url.pathname.split('/')).toHaveLength(6)
        expect(url.searchParams.get('after_id')).toBe(id)
      }),
    )
  })
})

describe('unexpected answers', () => {
  const read = async (answer: Parameters<typeof startServer>[0]) => {
    const server = await startServer(answer)
    return remoteAt(server.origin).readAsset(project_id, asset_id)
  }

  test('a success with an unknown body is not understood', async () => {
    for (const body of [
      '',
      'null',
      '[]',
      '"ready"',
      '{',
      'ready',
      '{}',
      { asset_id: 'asset_1', status: 'ready' },
    ]) {
      const failure = failureOf(await read([{ status: 200, body }]))
      expect(failure, JSON.stringify(body)).toMatchObject({
        about: 'unknown_protocol',
        status: 200,
      })
    }
  })

  test('a web page with status 200 is a captive portal, even where the answer is not read', async () => {
    const html = {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html>Log in</html>',
    }
    expect(failureOf(await read([html]))).toMatchObject({ about: 'network', status: 200 })
    const server = await startServer([html])
    expect(
      failureOf(await remoteAt(server.origin).detachLabel(project_id, asset_id, label_id)).about,
    ).toBe('network')
  })

  test('an answer larger than expected is not understood', async () => {
    const huge = await read([
      { status: 200, body: JSON.stringify({ ...record, filename: 'x'.repeat(9_000_000) }) },
    ])
    expect(failureOf(huge)).toMatchObject({
      about: 'unknown_protocol',
      message: expect.stringContaining('larger'),
    })
    expect(failureOf(await read([{ status: 503, body: 'x'.repeat(9_000_000) }])).about).toBe(
      'later',
    )
  })

  test('errors are judged by the table, with code, humane and Retry-After', async () => {
    const body = { code: 'publicapi.rate.limited', humane: 'Slow down.', statusCode: 429 }
    const seconds = await read([{ status: 429, headers: { 'retry-after': '3' }, body }])
    expect(failureOf(seconds)).toEqual({
      about: 'later',
      call: 'read',
      status: 429,
      code: 'publicapi.rate.limited',
      humane: 'Slow down',
      retry_after_ms: 3_000,
      message: 'the service answered 429 when asked for an asset',
    })
    const headers = {
      'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT',
      date: 'Thu, 01 Jan 2026 00:00:00 GMT',
    }
    expect(failureOf(await read([{ status: 503, headers }])).retry_after_ms).toBe(60_000)
  })

  test('no answer is a failure of the network that names only the host', async () => {
    const { port, close } = await listen(createTcpServer())
    await close()
    const failure = failureOf(
      await remoteAt(`http://127.0.0.1:${port}`).readAsset(project_id, asset_id),
    )
    expect(failure).toEqual({
      about: 'network',
      call: 'read',
      code: 'network.refused',
      message: `GET 127.0.0.1:${port}: nothing listens there`,
    })
  })

  test('a silent service is given up in time', async () => {
    const server = await startServer([() => {}])
    const timeouts = { answer_ms: 50 }
    const failure = failureOf(
      await remoteAt(server.origin, { timeouts }).readAsset(project_id, asset_id),
    )
    expect(failure).toMatchObject({ about: 'network', code: 'network.timeout' })
  })

  test('the service’s clock comes with a success', async () => {
    const headers = { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }
    const server = await startServer([{ status: 200, headers, body: record }])
    const outcome = await remoteAt(server.origin).readAsset(project_id, asset_id)
    expect(outcome).toMatchObject({ ok: true, date_ms: Date.UTC(2026, 0, 1) })
    expect(successOf(outcome).status).toBe('ready')
  })
})
