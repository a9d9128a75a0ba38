import childProcess from 'node:child_process'
import nodeMachineId from 'node-machine-id'

const timeLimitMs = 5000

/**
 * Asks Windows or macOS for the machine ID through node-machine-id's command.
 *
 * The library runs it without a time limit, lets a console window flash up on Windows, and throws inside the
 * command's callback, out of everybody's reach, when the output is not what it expects. So for the one synchronous
 * moment in which it starts the command it gets an `exec` that knows better.
 * https://github.com/automation-stack/node-machine-id/issues/33
 *
 * @throws whatever keeps the ID from being read.
 */
export function reportMachineId(): Promise<string> {
  return new Promise((resolve, reject) => {
    const { exec } = childProcess
    const timer = setTimeout(() => reject(new Error('The machine ID took too long')), timeLimitMs)
    const settle =
      <Value>(then: (value: Value) => void) =>
      (value: Value): void => {
        clearTimeout(timer)
        then(value)
      }
    const guarded = (
      command: string,
      _options: object,
      callback: (error: Error | null, stdout: string, stderr: string) => void,
    ): childProcess.ChildProcess =>
      exec(command, { windowsHide: true, timeout: timeLimitMs }, (error, stdout, stderr) => {
        try {
          callback(error, stdout, stderr)
        } catch (thrown) {
          settle(reject)(thrown)
        }
      })

    Object.defineProperty(childProcess, 'exec', { value: guarded, configurable: true, writable: true })
    try {
      nodeMachineId.machineId(true).then(settle(resolve), settle(reject))
    } finally {
      Object.defineProperty(childProcess, 'exec', { value: exec, configurable: true, writable: true })
    }
  })
}
