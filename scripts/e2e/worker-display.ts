import { electronFromEnvironment, useDesktop } from './electron-environment.ts'
import { onDisplay, openDisplay } from './runtime/desktop.ts'

const isOpen = Symbol.for('latchkey.worker-display')

// Workers run test files at the same time, but a display has only one clipboard. Each worker opens its own display and
// keeps it until it exits, unless a person is watching. Vitest runs this file again for every test file.
if (!(isOpen in process)) {
  Object.assign(process, { [isOpen]: true })
  useDesktop(onDisplay(electronFromEnvironment(), await openDisplay(() => {})))
}
