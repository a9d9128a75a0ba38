export { type GatewayCode, type GatewayLogLine, gatewayCodes, type ReplyRemark } from '@latchkey/gateway'
