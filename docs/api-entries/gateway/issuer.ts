export * from '@latchkey/gateway/issuer'
