export * from '@latchkey/services/keygen'
