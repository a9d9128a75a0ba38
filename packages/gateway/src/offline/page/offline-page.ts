import { runPage } from './page-script.ts'
import { pageStyle } from './page-style.ts'
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
