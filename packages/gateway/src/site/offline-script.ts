import type { SiteTexts } from './site-texts.ts'

/**
 * The script of `/offline`. It is sent to the browser as text, so it uses nothing from outside this function. The steps are
 * request, confirm, answer; a full license adds seats. A release code takes the place of a request.
 */
export function runOfflinePage(texts: SiteTexts): void {
  const place = document.querySelector('main')
  if (place === null) return
  const main: HTMLElement = place
  const { lang } = document.documentElement
  const locale = navigator.languages.find((tag) => tag.startsWith(lang)) ?? lang
  let request = ''

  function element<Name extends keyof HTMLElementTagNameMap>(
    name: Name,
    properties: Partial<Omit<HTMLElementTagNameMap[Name], 'style'>> = {},
    ...children: readonly (Node | string)[]
  ): HTMLElementTagNameMap[Name] {
    const made = Object.assign(document.createElement(name), properties)
    made.append(...children)
    return made
  }

  function button(label: string, act: () => unknown, className = ''): HTMLButtonElement {
    return element('button', { type: 'button', className, onclick: () => void act() }, label)
  }

  /** Shows a step and moves the focus to its heading, so that a screen reader reads it. */
  function show(heading: string, ...children: readonly (Node | string)[]): void {
    const isDone = heading === texts.doneHeading || heading === texts.freedHeading
    const title = element('h1', { tabIndex: -1, className: isDone ? 'done' : '' }, heading)
    main.replaceChildren(title, ...children)
    title.focus()
  }

  function fact(name: string, value: string): Node {
    return element('div', {}, element('dt', {}, name), element('dd', { dir: 'auto' }, value))
  }

  function problem(text: string): Node {
    return element('p', { className: 'problem', role: 'alert' }, text)
  }

  const { problems } = texts
  /** The sentence about each code. Every other code may pass. */
  const messages: Readonly<Record<string, string>> = {
    'no-offline-request': problems.noRequest,
    'body-too-large': problems.noRequest,
    'invalid-body': problems.noRequest,
    answer: problems.answer,
    'offline-request-torn': problems.torn,
    'offline-request-newer': problems.newer,
    'release-code-torn': problems.releaseTorn,
    'release-code-edited': problems.releaseEdited,
    'release-code-unknown-key': problems.releaseUnknownKey,
    'not-found': problems.unknown,
    gone: problems.unknown,
    'wrong-product': problems.wrongProduct,
    'license-expired': problems.expired,
    'license-suspended': problems.notActive,
    'license-inactive': problems.notActive,
    'test-license': problems.notActive,
    rejected: problems.refused,
    'list-not-allowed': problems.unlisted,
    // The vendor has to correct the gateway.
    'lease-key-untrusted': problems.unlisted,
    'too-many-requests': problems.tooMany,
  }

  /**
   * Does a step. A proxy may answer in place of the gateway, so only an answer with the step's own field counts.
   *
   * @returns the answer, or an object with the code of an `error`.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the gateway that served this page answers it.
  async function ask(body: Readonly<Record<string, unknown>>, field: string): Promise<any> {
    show(texts.working)
    try {
      const answer = await fetch(location.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request, ...body }),
      })
      const told = await answer.json()
      const isOwn = answer.ok ? told[field] !== undefined : typeof told.error === 'string'
      if (isOwn) return told
    } catch {
      // No answer, or none in JSON.
    }
    return { error: 'unreachable' }
  }

  function showRequest(error?: string): void {
    const { chooseFile, pasteLabel, lead, title } = texts
    const file = element('input', { type: 'file', id: 'file' })
    file.onchange = () => void useFile(file.files?.[0])
    // After an error it stays, for another try. It may be from a QR code, which nobody wants to scan again.
    const value = error === undefined ? '' : request
    const text = element('textarea', { id: 'text', rows: 6, spellcheck: false, dir: 'ltr', value })
    show(
      title,
      element('p', {}, lead),
      ...(error === undefined ? [] : [problem(messages[error] ?? problems.unavailable)]),
      element('label', { htmlFor: 'file', className: 'button' }, chooseFile, file),
      element('label', { htmlFor: 'text' }, pasteLabel),
      text,
      button(texts.continue, () => use(text.value), 'main'),
    )
  }

  async function useFile(file: File | undefined): Promise<void> {
    if (file === undefined) return
    // A request has a few hundred bytes.
    if (file.size > 100_000) showRequest('no-offline-request')
    else await use(await file.text())
  }

  async function use(text: string): Promise<void> {
    request = text
    const shown = await ask({ action: 'show' }, 'device')
    if (shown.error === undefined) showConfirm(shown)
    else if (shown.error === 'no-offline-request' && /latchkey-answer-\d/u.test(text)) showRequest('answer')
    else showRequest(shown.error)
  }

  /** Asks before anything happens. Only a release code has a date. */
  function showConfirm(shown: {
    device: string
    license: string
    app: string
    deactivatedAt?: string
  }): void {
    const { deactivatedAt } = shown
    const isRelease = deactivatedAt !== undefined
    show(
      isRelease ? texts.releaseConfirm : texts.confirm,
      element(
        'dl',
        {},
        fact(texts.device, shown.device),
        fact(texts.license, shown.license),
        fact(texts.app, shown.app),
        ...(isRelease ? [fact(texts.deactivated, dateOf(deactivatedAt))] : []),
      ),
      isRelease ? button(texts.freeSeat, free, 'main') : button(texts.activate, activate, 'main'),
      button(texts.startOver, () => showRequest()),
    )
  }

  async function free(): Promise<void> {
    const freed = await ask({ action: 'free' }, 'released')
    // A license that is gone is nothing the customer can correct.
    if (freed.error !== undefined)
      return showRequest(freed.error === 'not-found' ? 'license-inactive' : freed.error)
    show(
      texts.freedHeading,
      element('p', {}, freed.released ? texts.freedLead : texts.alreadyFreed),
      button(texts.startOver, () => showRequest()),
    )
  }

  function dateOf(time: string): string {
    return new Intl.DateTimeFormat(locale, { dateStyle: 'long' }).format(new Date(time))
  }

  async function activate(): Promise<void> {
    const answer = await ask({ action: 'activate', code: true }, 'validUntil')
    if (answer.error === undefined) showAnswer(answer)
    else if (answer.error === 'no-seat-left') await showSeats()
    else showRequest(answer.error)
  }

  function showAnswer(answer: { answer: string; validUntil: string; code: string | null }): void {
    const file = new Blob([answer.answer], { type: 'application/octet-stream' })
    const until = dateOf(answer.validUntil)
    const text = element('textarea', {
      id: 'answer',
      rows: 8,
      readOnly: true,
      spellcheck: false,
      dir: 'ltr',
      value: answer.answer,
    })
    const told = element('span', { role: 'status' })
    const copy = async (): Promise<void> => {
      text.select()
      await navigator.clipboard.writeText(answer.answer).catch(() => document.execCommand('copy'))
      told.textContent = texts.copied
    }
    const { code } = answer
    const image =
      code === null
        ? []
        : [
            element('p', { className: 'until' }, texts.answerCode),
            element('img', { src: `data:image/svg+xml,${encodeURIComponent(code)}`, alt: '' }),
          ]
    show(
      texts.doneHeading,
      element('p', {}, texts.doneLead),
      element('p', { className: 'until' }, texts.validUntil.replace('{date}', until)),
      element(
        'a',
        { className: 'button main', href: URL.createObjectURL(file), download: 'answer.latchkey' },
        texts.saveFile,
      ),
      element('label', { htmlFor: 'answer' }, texts.answerText),
      text,
      element('div', { className: 'actions' }, button(texts.copy, copy), told),
      ...image,
      button(texts.startOver, () => showRequest()),
    )
  }

  async function showSeats(): Promise<void> {
    const listed = await ask({ action: 'devices' }, 'devices')
    if (listed.error !== undefined) return showRequest(listed.error)
    const devices: readonly { device: string; name: string; offlineUntil: string | null }[] = listed.devices
    const release = async (device: string): Promise<void> => {
      const released = await ask({ action: 'release', device }, 'released')
      if (released.error === undefined) await activate()
      else showRequest(released.error)
    }
    show(
      texts.seatsHeading,
      element('p', {}, texts.seatsLead),
      ...devices.map(({ device, name, offlineUntil }) =>
        // Only its release code frees the seat of a computer that may run without internet.
        offlineUntil !== null
          ? fact(name, texts.validUntil.replace('{date}', dateOf(offlineUntil)))
          : button(
              texts.release.replace('{name}', () => `\u2068${name}\u2069`),
              () => release(device),
            ),
      ),
      button(texts.startOver, () => showRequest()),
    )
  }

  document.ondragover = (event) => event.preventDefault()
  document.ondrop = (event) => {
    event.preventDefault()
    void useFile(event.dataTransfer?.files[0])
  }
  /** Uses a request from a QR code or a link. It must not stay in the address bar and the history. */
  function start(): void {
    const fragment = location.hash.slice(1)
    history.replaceState(null, '', location.pathname)
    if (fragment === '') showRequest()
    else void use(fragment)
  }
  // Another link in the same tab.
  window.onhashchange = start
  start()
}
