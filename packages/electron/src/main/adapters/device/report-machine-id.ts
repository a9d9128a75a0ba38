import childProcess from 'node:child_process'
import nodeMachineId from 'node-machine-id'

const timeLimitMs = 5000

/**
 * Gets the machine ID on Windows or macOS with node-machine-id's command.
 *
 * The library runs the command without a time limit, opens a console window on Windows, and throws inside the command's
 * callback, where nobody can catch it, if the output is unexpected. So `exec` is replaced during the synchronous call
 * that starts the command.
 * https://github.com/automation-stack/node-machine-id/issues/33
 *
 * @throws the error that prevents reading the ID.
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
