/**
 * The script of `/devices` and `/thanks`, which also work without it. It is sent to the browser as text, so it uses nothing
 * from outside this function.
 */
export function enhancePage(): void {
  const { lang } = document.documentElement
  const locale = navigator.languages.find((tag) => tag.startsWith(lang)) ?? lang
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
  for (const time of document.querySelectorAll('time'))
    time.textContent = dates.format(new Date(time.dateTime))

  /** Takes the license key from a link's fragment, which must not stay in the address bar and the history. */
  function readAddress(): void {
    const licenseKey = new URLSearchParams(location.hash.slice(1)).get('key')
    if (location.hash !== '' || location.search !== '') history.replaceState(null, '', location.pathname)
    const field = document.querySelector<HTMLInputElement>('#license-key')
    if (licenseKey === null || field === null) return
    field.value = licenseKey
    field.form?.requestSubmit()
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
  const key = document.querySelector<HTMLTextAreaElement>('#bought-key')
  const status = document.querySelector('#copied')
  if (copy !== null && key !== null && status !== null) {
    copy.hidden = false
    copy.onclick = async () => {
      key.select()
      await navigator.clipboard.writeText(key.value).catch(() => document.execCommand('copy'))
      copy.textContent = status.textContent = status.getAttribute('data-text')
    }
  }

  // Another link in the same tab.
  window.onhashchange = readAddress
  readAddress()
  const app = document.querySelector<HTMLAnchorElement>('#open-app')
  // Some browsers ask the person first, and then wait with everything else on the page.
  if (app !== null) window.onload = () => location.assign(app.href)
}
