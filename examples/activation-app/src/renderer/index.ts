import { licensing } from '@latchkey/electron/renderer'
import { mountLicensePanel } from './license-panel.ts'
import { pageElement, startNotebook } from './start-notebook.ts'

const notebook = startNotebook()
mountLicensePanel(pageElement('license'))

// Losing the license while writing loses no work: what was typed is saved, then notes become read-only.
licensing.subscribe((state) => void notebook.setLocked(!state.entitled))
