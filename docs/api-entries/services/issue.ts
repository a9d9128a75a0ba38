export * from '@latchkey/services/issue'
