import { afterAll } from 'vitest'
import { onDisplay } from '../desktop.ts'
import { openDisplay } from '../display.ts'
import { electronFromEnvironment, useDesktop } from './electron-environment.ts'

// Test files run side by side, and a clipboard belongs to a whole display: each file opens one of its own,
// unless somebody is looking.
const display = await openDisplay(() => {})
useDesktop(onDisplay(electronFromEnvironment(), display))
afterAll(() => display.close())
