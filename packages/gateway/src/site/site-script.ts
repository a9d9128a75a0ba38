/**
 * The script of the pages, which also work without it. It is sent to the browser as text, so it uses nothing from outside
 * this function.
 */
export function enhancePage(): void {
  const { lang } = document.documentElement
  const locale = navigator.languages.find((tag) => tag.startsWith(lang)) ?? lang
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
  for (const time of document.querySelectorAll('time'))
    time.textContent = dates.format(new Date(time.dateTime))

  const request = document.querySelector<HTMLTextAreaElement>('#request')
  const field = request ?? document.querySelector<HTMLInputElement>('#license-key')

  /** Takes the license key or the request from a link's fragment, which must not stay in the address bar and the history. */
  function readAddress(): void {
    const fragment = location.hash.slice(1)
    if (location.hash !== '' || location.search !== '') history.replaceState(null, '', location.pathname)
    const given = request === null ? new URLSearchParams(fragment).get('key') : fragment
    if (field === null || given === null || given === '') return
    field.value = given
    field.form?.requestSubmit()
  }

  const file = document.querySelector<HTMLInputElement>('#file')
  if (request !== null && file !== null) {
    const send = async (chosen: File | undefined): Promise<void> => {
      if (chosen === undefined) return
      // A request has a few hundred bytes. The gateway refuses a longer file.
      request.value = await chosen.slice(0, 100_000).text()
      request.form?.requestSubmit()
    }
    file.onchange = () => void send(file.files?.[0])
    document.ondragover = (event) => event.preventDefault()
    document.ondrop = (event) => {
      event.preventDefault()
      void send(event.dataTransfer?.files[0])
    }
    for (const label of file.labels ?? []) label.hidden = false
  }

  const invalid = document.querySelector<HTMLInputElement>('[aria-invalid]')
  invalid?.select()

  const find = document.querySelector<HTMLInputElement>('#find')
  if (find !== null) {
    const rows = Array.from(document.querySelectorAll<HTMLElement>('.rows > .row'), (row) => ({
      row,
      text: row.textContent.toLowerCase(),
    }))
    find.hidden = false
    find.oninput = () => {
      const wanted = find.value.trim().toLowerCase()
      for (const { row, text } of rows) row.hidden = !text.includes(wanted)
    }
    // Enter would choose the button, without a device.
    find.onkeydown = (event) => {
      if (event.key === 'Enter') event.preventDefault()
    }
  }

  const copy = document.querySelector<HTMLButtonElement>('#copy')
  const key = document.querySelector<HTMLTextAreaElement>('textarea[readonly]')
  const status = document.querySelector('#copied')
  if (copy !== null && key !== null && status !== null) {
    copy.hidden = false
    copy.onclick = async () => {
      key.select()
      await navigator.clipboard.writeText(key.value).catch(() => document.execCommand('copy'))
      copy.textContent = status.textContent = status.getAttribute('data-text')
    }
  }

  // Another link in the same tab. A later step has no field for it, so it starts from the first page.
  window.onhashchange = () => (field === null ? location.assign(`?${location.hash}`) : readAddress())
  readAddress()
  const app = document.querySelector<HTMLAnchorElement>('#open-app')
  // Some browsers ask the person first, and then wait with everything else on the page.
  if (app !== null) window.onload = () => location.assign(app.href)
}
