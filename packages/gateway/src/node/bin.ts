#!/usr/bin/env node

// An older Node fails to parse the rest of the code, with a confusing error. So the version is checked here first.
const oldestNode = '22'
const node: string = process.versions.node
if (node.localeCompare(oldestNode, 'en', { numeric: true }) < 0) {
  console.error(`latchkey-gateway needs Node ${oldestNode} or newer, and this is ${node}: update Node.`)
  process.exitCode = 1
} else {
  const { main } = await import('./start.ts')
  await main()
}
