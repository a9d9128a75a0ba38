/** Prints the result of one check, and sets the exit code if it found problems. */
export function tellFaults(
  name: string,
  faults: readonly string[],
  print: (line: string) => void = console.log,
): void {
  print(`${faults.length === 0 ? 'good' : 'BAD '}  ${name}`)
  for (const fault of faults) print(fault.replace(/^/gmu, '      '))
  if (faults.length > 0) process.exitCode = 1
}
