/**
 * What the activation page consists of. The renderer process starts meanwhile, so that this is loaded after the window was
 * created.
 */
export { activationPageHtml as html, activationPageScript as script } from 'virtual:latchkey/activation-page'
export { initialRender } from 'virtual:latchkey/initial-render'
export { loadStrings } from 'virtual:latchkey/strings'
