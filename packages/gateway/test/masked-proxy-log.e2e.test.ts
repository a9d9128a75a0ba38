import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ensureSystemPackages, hasCommand } from '@latchkey/scripts/e2e/runtime/system-packages'
import { repositoryRoot } from '@latchkey/scripts/workspace/repository'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from './free-port.ts'
import { jsonAnswer, startRawUpstream } from './raw-upstream.ts'
import { keyId, licenseId } from './wire-samples.ts'

/** Why nginx is unavailable; `null` if it is available. On Debian and Ubuntu it is installed. */
const lacksNginx = await ensureSystemPackages([['command', 'nginx', 'nginx-light', 'nginx']]).then(
  () => (hasCommand('nginx') ? null : 'There is no nginx on this machine.'),
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
)
if (lacksNginx !== null) process.stderr.write(`Not tested: the masked log of nginx. ${lacksNginx}\n`)

/** Returns the configuration lines from the page. */
async function linesOfThePage(): Promise<string> {
  const page = await readFile(path.join(repositoryRoot, 'docs', 'production.md'), 'utf8')
  return /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
}

test('an nginx set up as documented does not log the license key in a path', async (context) => {
  if (lacksNginx !== null) return context.skip(lacksNginx)
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-nginx-'))
  const upstream = await startRawUpstream({ answer: () => jsonAnswer({ data: [] }) })
  const port = await freePort()
  const log = path.join(folder, 'access.log')
  const lines = (await linesOfThePage()).replace(/access_log .*;/, '')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  await writeFile(
    path.join(folder, 'nginx.conf'),
    `pid ${folder}/pid; error_log ${folder}/error.log; daemon off; worker_processes 1; events {}
http { ${temporary}
${lines}
server { listen 127.0.0.1:${port}; access_log ${log} licensing;
location / { proxy_pass ${new URL(upstream.baseUrl).origin}; } } }`,
  )
  const child = spawn('nginx', ['-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`], {
    stdio: 'ignore',
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    // SIGKILL would leave its worker process running.
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  })

  const base = `http://127.0.0.1:${port}/v1/licenses`
  await vi.waitFor(() => fetch(`${base}/x/keys`), 60_000)
  for (const id of [licenseId, licenseId.toUpperCase()]) {
    await fetch(`${base}/${id}/keys`)
    await fetch(`${base}/${id}/keys?page=2`)
    await fetch(`${base}/${id}/keys/${keyId}`)
    await fetch(`${base}/${id}/activate`, { method: 'POST', body: '{}' })
    await fetch(`${base}/${id}/deactivate`, { method: 'DELETE', body: '{}' })
    await fetch(`${base}/${id}`)
  }
  await fetch(`http://127.0.0.1:${port}/healthz`)
  await vi.waitFor(async () => expect(await readFile(log, 'utf8')).toContain('/healthz'), 60_000)
  const text = (await readFile(log, 'utf8')).toLowerCase()
  for (const secret of [licenseId, licenseId.slice(0, 13), keyId, keyId.slice(0, 13)]) {
    expect(text).not.toContain(secret)
  }
  for (const verb of [
    'get /v1/licenses/****/keys"',
    'post /v1/licenses/****/activate"',
    'delete /v1/licenses/****/deactivate"',
  ]) {
    expect(text).toContain(verb)
  }
})
