import { licensing } from '@latchkey/electron/renderer'
import { mountLicensePanel } from './license-panel.ts'
import { pageElement, startNotebook } from './start-notebook.ts'

const notebook = startNotebook()
mountLicensePanel(pageElement('license'))

// If the license is lost during writing, typed text is saved first, then notes become read-only.
licensing.subscribe((state) => void notebook.setLocked(!state.entitled))

// The button appears and disappears with the license. The main process checks again.
licensing.subscribe(() => notebook.setCanExport(licensing.has('export')))
