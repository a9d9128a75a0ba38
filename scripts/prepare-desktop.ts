import { hasVisibleDisplay, prepareDesktop } from './e2e/runtime/desktop.ts'
import {
  electronNeeds,
  ensureSystemPackages,
  keychainNeeds,
  redisNeeds,
  virtualDisplayNeeds,
} from './e2e/runtime/system-packages.ts'

// Downloads and installs what end-to-end tests need, so that a failed download is reported as such.
const displayNeeds = hasVisibleDisplay() ? [] : virtualDisplayNeeds
await ensureSystemPackages([...electronNeeds, ...displayNeeds, ...keychainNeeds, ...redisNeeds])
const { display } = await prepareDesktop()
await display.close()
