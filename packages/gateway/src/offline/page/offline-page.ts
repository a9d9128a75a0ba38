import { runPage } from './page-script.ts'
import { allTexts } from './texts/all-texts.ts'

/** A page and the policy it is sent with. */
export interface OfflinePage {
  readonly html: string
  /** The `Content-Security-Policy`: only the page's own style and script, and requests to this gateway. */
  readonly policy: string
}

/** Creates the page that activates computers without internet. It is the same for everyone, and loads nothing. */
export async function createOfflinePage(): Promise<OfflinePage> {
  // "<" in a text would end the script if a tag followed.
  const script = `(${runPage})(${JSON.stringify(allTexts).replaceAll('<', '\\u003c')})`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Latchkey</title>
<style>${pageStyle}</style>
</head>
<body>
<main><noscript>This page needs JavaScript.</noscript></main>
<script>${script}</script>
</body>
</html>
`
  const policy = [
    "default-src 'none'",
    `script-src '${await hashOf(script)}'`,
    `style-src '${await hashOf(pageStyle)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, policy }
}

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return `sha256-${btoa(Array.from(digest, (byte) => String.fromCharCode(byte)).join(''))}`
}

/** The page's style: readable on a phone, light and dark. */
export const pageStyle: string = `
:root { color-scheme: light dark; --text: #1c1c1e; --muted: #5b5b60; --page: #f4f4f6; --card: #fff; --line: #8a8a90;
  --accent: #1d4ed8; --on-accent: #fff; --problem: #b00020 }
@media (prefers-color-scheme: dark) { :root { --text: #f2f2f4; --muted: #b4b4ba; --page: #141416; --card: #1f1f23;
  --line: #85858c; --accent: #9db8ff; --on-accent: #10131c; --problem: #ff9aa5 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: start center; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { width: min(32rem, 100%); margin-top: min(8vh, 4rem); padding: 1.5rem; display: grid; gap: 1rem;
  background: var(--card); border-radius: 1rem }
h1 { margin: 0; font-size: 1.375rem; line-height: 1.25; outline: none }
p, dl, dd { margin: 0 }
dl { display: grid; gap: .75rem }
dt, label:not(.button) { color: var(--muted); font-size: .875rem }
dd { overflow-wrap: anywhere }
textarea { width: 100%; padding: .75rem; resize: vertical; background: none; color: inherit; border: 1px solid var(--line);
  border-radius: .5rem; font: .8125rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere }
button, .button { min-height: 2.75rem; padding: .625rem 1rem; display: block; width: 100%; background: none;
  color: var(--accent); border: 1px solid var(--line); border-radius: .5rem; font: inherit; text-align: center;
  text-decoration: none; cursor: pointer; overflow-wrap: anywhere }
.main { background: var(--accent); color: var(--on-accent); border-color: transparent; font-weight: 600 }
h1:focus-visible { outline: none }
:focus-visible:not(h1), .button:focus-within { outline: 3px solid var(--accent); outline-offset: 2px }
input[type=file] { position: absolute; width: 1px; height: 1px; opacity: 0 }
.problem { color: var(--problem) }
.until { color: var(--muted) }
.row { display: flex; gap: 1rem; align-items: center }
.row button { width: auto }
img { width: 100%; max-width: 22rem; margin: auto; padding: 1rem; background: #fff; border-radius: .5rem }
`
