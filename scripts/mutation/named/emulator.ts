import type { Mutant } from './mutant.ts'

const source = 'packages/emulator/src'
const tests = ['packages/emulator/test/installed/starts-and-saves']

/** Mistakes in `latchkey-emulator`. */
export const emulatorMutants: readonly Mutant[] = [
  {
    name: '--data is ignored',
    file: `${source}/start.ts`,
    from: 'return data ? { ...options, seed: data } : options',
    to: 'return options',
    tests,
  },
  {
    name: '--save saves nothing',
    file: `${source}/start.ts`,
    from: '    await save(command, emulator)\n',
    to: '',
    tests,
  },
  {
    name: 'the data is saved without --save',
    file: `${source}/start.ts`,
    from: 'if (!dataFile?.save) return',
    to: 'if (!dataFile) return',
    tests,
  },
  {
    name: 'a start that fails overwrites the file',
    file: `${source}/start.ts`,
    from: '  let emulator: Emulator\n',
    to: "  if (command.dataFile?.save) await writeDataFile(command.dataFile.path, JSON.parse('{}'))\n  let emulator: Emulator\n",
    tests,
  },
  {
    name: 'an invalid data file is overwritten at exit',
    file: `${source}/data-file.ts`,
    from: 'if (error instanceof ControlError) throw',
    to: 'if (error instanceof SyntaxError) return null\n    if (error instanceof ControlError) throw',
    tests,
  },
  {
    name: 'a failed save exits with 0',
    file: `${source}/start.ts`,
    from: 'process.exitCode = exitCode',
    to: 'void exitCode',
    tests,
  },
  {
    name: '--host is ignored',
    file: `${source}/command-line.ts`,
    from: 'host: values.host,',
    to: "host: '127.0.0.1',",
    tests,
  },
  {
    name: 'the emulator listens on every address',
    file: `${source}/command-line.ts`,
    from: 'host: values.host,',
    to: "host: values.host === '127.0.0.2' ? '0.0.0.0' : values.host,",
    tests,
  },
  {
    name: '--discounts is ignored',
    file: `${source}/command-line.ts`,
    from: "discounts: wholeNumber('discounts', values.discounts, maxItems),",
    to: 'discounts: 30,',
    tests,
  },
  {
    name: '--face is ignored',
    file: `${source}/command-line.ts`,
    from: 'face: values.face,',
    to: "face: 'commerce',",
    tests,
  },
  {
    name: '--customers is ignored',
    file: `${source}/command-line.ts`,
    from: "customers: wholeNumber('customers', values.customers, maxItems),",
    to: 'customers: 60,',
    tests,
  },
  {
    name: '--no-token still requires a token',
    file: `${source}/command-line.ts`,
    from: "accessToken: values['no-token'] ? null : (values.token ?? 'demo'),",
    to: "accessToken: values.token ?? 'demo',",
    tests,
  },
  {
    name: 'SIGTERM ends the emulator without saving',
    file: `${source}/start.ts`,
    from: "process.on('SIGTERM', () => void end())",
    to: '',
    tests,
  },
]
