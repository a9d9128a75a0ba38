import type { Emulator } from '@latchkey/emulator'
import { expect, test } from 'vitest'
import { emulatorForTest, runCli } from './run-cli.ts'

const headers = `Received: by mail.example.com; Tue, 24 Nov 2026 09:12:44 +0000
Message-Id: <0F1E2D3C-1111-4222-8333-0123456789AB@example.com>
In-Reply-To: <9A8B7C6D-1111-4222-8333-0123456789AB@example.com>
From: Ada <ada@example.com>
Subject: Inkwell doesn't start
MIME-Version: 1.0`

const sources: Readonly<Record<string, (key: string) => string>> = {
  'plain text': (key) => `${headers}
Content-Type: text/plain; charset=utf-8

Hello, my key is ${key}. Thanks!
`,
  'text with a UUID as the boundary of its parts': (key) => `${headers}
Content-Type: multipart/alternative;
 boundary="Apple-Mail=_EBE6F3B3-2222-4333-8444-0123456789AB"

--Apple-Mail=_EBE6F3B3-2222-4333-8444-0123456789AB
Content-Type: text/plain; charset=us-ascii

My key is ${key}.

--Apple-Mail=_EBE6F3B3-2222-4333-8444-0123456789AB
Content-Type: text/html; charset=us-ascii

<p>My key is <b>${key}</b>.</p><img src="cid:7B6A5948-1111-4222-8333-0123456789AB">

--Apple-Mail=_EBE6F3B3-2222-4333-8444-0123456789AB--
`,
  'a key that is broken by quoted-printable': (key) => `${headers}
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Gr=C3=BC=C3=9Fe! Mein Schl=C3=BCssel ist ${key.slice(0, 12)}=
${key.slice(12)}
`,
  base64: (key) => `${headers}
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: base64

${Buffer.from(`My key is ${key}.\n`).toString('base64')}
`,
  'only HTML': (key) => `${headers}
Content-Type: text/html; charset=utf-8

<html><body><p>My key is <b>${key}</b>.</p>
<a href="https://store.example/orders/7B6A5948-1111-4222-8333-0123456789AB">Order</a></body></html>
`,
  'a reply that breaks the key': (key) => `${headers}

> > My key is ${key.slice(0, 24)}
> > ${key.slice(24)}
`,
  'HTML with the key only in a link': (key) => `${headers}
Content-Type: text/html; charset=utf-8

<p>Hi</p><a href="inkwell://activate?license=${key}">Activate Inkwell</a>
`,
  'a mailbox': (key) => `From ada@example.com Tue Nov 24 09:12:44 2026
${headers}

My key is ${key}.
`,
}

/** What `keys list` prints of a license without devices. */
const found = [0, 'No device is activated on this license.\n']

test.each(Object.entries(sources))('finds the key in the source of an email: %s', async (_name, write) => {
  const emulator = await emulatorForTest()
  const source = write(emulator.demoLicense.id)
  expect(await listed(emulator, source)).toEqual(found)
  expect(await listed(emulator, source.replaceAll('\n', '\r\n'))).toEqual(found)
})

test('a letter that begins like an email is read as it is', async () => {
  const emulator = await emulatorForTest()
  expect(await listed(emulator, `To: support\n\nLicense: ${emulator.demoLicense.id}\n`)).toEqual(found)
  expect(await listed(emulator, `License: ${emulator.demoLicense.id}\n\nThanks!\n`)).toEqual(found)
})

test('the text of a reply may break the key', async () => {
  const emulator = await emulatorForTest()
  const { id } = emulator.demoLicense
  expect(await listed(emulator, `Ada wrote:\n> My key is ${id.slice(0, 20)}\n> ${id.slice(20)}\n`)).toEqual(
    found,
  )
})

test.each([
  ['tags that never end', '<'.repeat(500_000)],
  ['a word that never ends', 'a'.repeat(500_000)],
])('an email with %s doesn’t hold up the command', async (_what, text) => {
  const source = `${headers}\nContent-Type: text/html; charset=utf-8\n\n<p>${text}</p>\n`
  expect(await listed(await emulatorForTest(), source)).toMatchObject([2, expect.any(String)])
})

test('an email without a key is refused, although its headers have UUIDs', async () => {
  const emulator = await emulatorForTest()
  const [exitCode, err] = await listed(emulator, `${headers}\n\nIt doesn't start.\n`)
  expect([exitCode, err]).toEqual([
    2,
    expect.stringMatching(/^latchkey: Standard input contains no license key\./u),
  ])
  expect(emulator.control.requests()).toEqual([])
})

async function listed(emulator: Emulator, input: string): Promise<readonly [number, string]> {
  const { exitCode, err } = await runCli(emulator, ['keys', 'list', '-'], { input })
  return [exitCode, err]
}
