export { createGateway, type Gateway, GatewayConfigError, type GatewayOptions } from '@latchkey/gateway'
