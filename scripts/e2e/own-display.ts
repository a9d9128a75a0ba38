import { afterAll } from 'vitest'
import { electronFromEnvironment, useDesktop } from './electron-environment.ts'
import { onDisplay } from './runtime/desktop.ts'
import { openDisplay } from './runtime/display.ts'

// Test files run in parallel, but a display has only one clipboard. Each file opens its own display, unless a person is
// watching.
const display = await openDisplay(() => {})
useDesktop(onDisplay(electronFromEnvironment(), display))
afterAll(() => display.close())
