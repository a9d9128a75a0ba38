import { prepareDesktop } from './desktop.ts'
import { hasVisibleDisplay } from './display.ts'
import {
  electronNeeds,
  ensureSystemPackages,
  keychainNeeds,
  redisNeeds,
  virtualDisplayNeeds,
} from './system-packages.ts'

// Fetches and installs what end-to-end tests need, so that they start at once and a failure has a name of its own.
const displayNeeds = hasVisibleDisplay() ? [] : virtualDisplayNeeds
await ensureSystemPackages([...electronNeeds, ...displayNeeds, ...keychainNeeds, ...redisNeeds])
const { display } = await prepareDesktop()
await display.close()
