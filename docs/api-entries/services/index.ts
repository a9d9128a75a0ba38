export * from '@latchkey/services'
