import { licensing } from '../renderer/licensing.ts'
import { activationElementName } from './index.ts'

const sheet = new CSSStyleSheet()
sheet.replaceSync(`
  html, body { margin: 0 }
  ${activationElementName} { min-height: 100dvh }
`)
document.adoptedStyleSheets = [sheet]

const screen = document.createElement(activationElementName)
screen.autofocus = true
document.querySelector('main')?.append(screen)

// A file dropped beside the field would otherwise replace the page.
for (const type of ['dragover', 'drop']) {
  document.addEventListener(type, (event) => {
    if (!event.defaultPrevented) event.preventDefault()
  })
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) screen.dismiss()
})

licensing.screen().then(
  ({ title, locale }) => {
    document.title = title
    document.documentElement.lang = locale
  },
  // The element says what is wrong.
  () => {},
)
