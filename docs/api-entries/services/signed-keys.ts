export * from '@latchkey/services/signed-keys'
