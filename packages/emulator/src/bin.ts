#!/usr/bin/env node

// An older Node can't parse the other modules and would print an unhelpful error.
const oldestNode = '22'
const node: string = process.versions.node
if (node.localeCompare(oldestNode, 'en', { numeric: true }) < 0) {
  console.error(`latchkey-emulator needs Node ${oldestNode} or newer, and this is ${node}: update Node.`)
  process.exitCode = 1
} else {
  await import('./start.ts')
}
