import { licensing } from './node_modules/@latchkey/electron/dist/renderer.js'

const show = () => {
  document.getElementById('status').textContent = licensing.getSnapshot()?.status ?? ''
}
licensing.subscribe(show)
show()
