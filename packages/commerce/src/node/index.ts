export { createNodeClient, type NodeClient, type NodeClientOptions } from './node-client.ts'
