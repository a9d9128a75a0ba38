export { nearestName } from './nearest-name.ts'
export { isServiceName, readService, serviceVariableNames, serviceVariablesHelp } from './read-service.ts'
export { readSwitch, switchRule } from './read-switch.ts'
export {
  type ServiceName,
  type ServiceSettings,
  type ServiceVariable,
  serviceNames,
  serviceSettings,
} from './service-variables.ts'
export { withoutQuotes } from './without-quotes.ts'
