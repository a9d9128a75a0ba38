export * from '@latchkey/gateway/node'
