export {
  type LastList,
  type LicenseService,
  maxAnswerBytes,
  type ResponseFacts,
  type ServiceCall,
  type ServiceCapabilities,
  type ServiceLinks,
  type WebCrypto,
} from '@latchkey/services'
