export * from '@latchkey/gateway'
