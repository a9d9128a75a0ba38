import { prepareDesktop } from './desktop.ts'

// Fetches and installs what end-to-end tests need, so that they start at once and a failure has a name of its own.
const { display } = await prepareDesktop()
await display.close()
