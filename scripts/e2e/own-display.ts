import { afterAll } from 'vitest'
import { electronFromEnvironment, useDesktop } from './electron-environment.ts'
import { onDisplay } from './runtime/desktop.ts'
import { openDisplay } from './runtime/display.ts'

// Test files run side by side, and a clipboard belongs to a whole display: each file opens one of its own,
// unless somebody is looking.
const display = await openDisplay(() => {})
useDesktop(onDisplay(electronFromEnvironment(), display))
afterAll(() => display.close())
