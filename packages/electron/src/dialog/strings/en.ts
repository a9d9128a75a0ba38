import { problemMessages } from '../../shared/problem.ts'
import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'other'> = {
  starting: 'Getting ready…',
  enterHeading: 'Activate {app}',
  enterLead: 'Paste the license key from your purchase e-mail.',
  keyLabel: 'License key',
  activate: 'Activate',
  checking: 'Checking…',
  working: 'One moment…',
  keyFound: 'Key found: {key}',
  useClipboard: 'Activate with the copied key {key}',
  fromLink: 'This key comes from the link you opened.',
  takingLong: 'This takes longer than usual.',
  stopWaiting: 'Stop waiting',

  activatedHeading: '{app} is activated',
  activatedLead: 'You are all set, online and offline.',
  devicesInUse: 'Devices in use',
  usedOfLimit: '{used} of {limit}',
  validUntil: 'Valid until',
  noEndDate: 'No end date',
  continue: 'Continue',

  deactivate: 'Deactivate this device',
  deactivateHeading: 'Deactivate this device?',
  deactivateLead:
    'Its seat becomes free for another computer. To use {app} here again, enter your license key.',
  deactivated: 'This device is signed out and its seat is free.',
  cancel: 'Cancel',

  noNetworkHeading: 'No connection',
  noAnswerHeading: 'No answer yet',
  nextTry: 'Next try in {time}',
  worksMeanwhile: 'You can go on using {app} in the meantime.',
  keyIsKept: 'Your key stays here, and activation goes on by itself.',
  tryNow: 'Try now',
  changeKey: 'Change the key',
  useOtherKey: 'Use another key',

  noSeatHeading: 'No seat left',
  noSeatLead:
    'This license is used on as many devices as it allows. Release one, and this device takes its seat.',
  deviceList: 'Devices using this license',
  activatedOn: 'Activated on {date}',
  thisDevice: 'This device',
  release: 'Release and activate here',
  chooseDevice: 'Choose the device to release.',
  loadingDevices: 'Loading the devices…',
  devicesUnavailable: 'The devices could not be listed.',
  buySeats: 'Buy more seats',

  expiredHeading: 'Your license has expired',
  expiredLead: 'It ended on {date}. Renew it to go on using {app}.',
  renew: 'Renew license',
  checkAgain: 'Check again',
  suspendedHeading: 'Your license is suspended',
  inactiveHeading: 'Your license is not active',
  reportedStatus: 'Reported status',
  movedHeading: 'This device was released',
  activateAgain: 'Activate again',

  graceHeading: 'Working offline',
  graceLead: {
    one: 'The license service could not be reached. {app} keeps working for {count} more day.',
    other: 'The license service could not be reached. {app} keeps working for {count} more days.',
  },
  graceOverHeading: 'Please go online once',
  graceOverLead:
    'Your license has not been checked for a while. Connect to the internet and check again; there is nothing to type.',

  trialHeading: { one: '{count} day left in your trial', other: '{count} days left in your trial' },
  trialLead: 'Everything works until {date}. Have a license key? Enter it at any time.',
  continueTrial: 'Continue the trial',
  trialOverHeading: 'Your trial is over',
  trialOverLead: 'Enter a license key to go on using {app}.',

  storageHeading: 'Please activate again',
  notSavedHeading: 'Your license could not be saved',
  refusedHeading: 'The license service said no',
  misconfiguredHeading: 'Licensing is not set up correctly',
  misconfiguredLead: 'This is nothing you did. Tell the developer of {app} this code:',

  buy: 'Buy a license',
  support: 'Get help',
  copyDetails: 'Copy details for support',
  copied: 'Copied',

  problems: problemMessages,
}
