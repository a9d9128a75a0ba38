import { byId } from './elements.js'

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding

/**
 * Sends a request to the control API. Shows an error at the foot of the page.
 *
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
export async function ask(method, path, body = {}) {
  try {
    const answer = await fetch(`/_control${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) notify(Object(await answer.json()).message)
  } catch {
    notify('The emulator does not answer.')
  }
}

/** @param {string} sentence */
function notify(sentence) {
  const notice = byId('notice', HTMLParagraphElement)
  notice.textContent = sentence
  notice.hidden = false
  clearTimeout(hiding)
  hiding = setTimeout(() => {
    notice.hidden = true
  }, 6000)
}
