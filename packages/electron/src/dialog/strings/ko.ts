import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings = {
  starting: '준비하는 중…',
  enterHeading: '{app} 인증',
  enterLead: '구매 이메일에 있는 라이선스 키를 붙여 넣으세요.',
  keyLabel: '라이선스 키',
  activate: '인증하기',
  checking: '확인하는 중…',
  working: '잠시만 기다려 주세요…',
  keyFound: '찾은 키: {key}',
  useClipboard: '복사한 키 {key} 사용하여 인증',
  fromLink: '이 키는 여신 링크에서 가져왔습니다.',
  takingLong: '평소보다 오래 걸리고 있습니다.',
  stopWaiting: '기다리지 않기',

  activatedHeading: '{app} 인증 완료',
  activatedLead: '온라인과 오프라인에서 모두 사용할 수 있습니다.',
  devicesInUse: '사용 중인 기기',
  usedOfLimit: '{limit}대 중 {used}대',
  validUntil: '유효 기간',
  noEndDate: '기한 없음',
  continue: '계속',

  deactivate: '이 기기 인증 해제',
  deactivateHeading: '이 기기의 인증을 해제할까요?',
  deactivateLead:
    '다른 컴퓨터에서 사용할 수 있게 됩니다. 여기에서 {app} 사용을 다시 시작하려면 라이선스 키를 다시 입력하세요.',
  deactivated: '이 기기의 인증이 해제되어 자리가 비었습니다.',
  cancel: '취소',

  noNetworkHeading: '연결할 수 없음',
  noAnswerHeading: '아직 응답이 없음',
  nextTry: '{time} 후 다시 시도',
  worksMeanwhile: '그동안 {app} 사용을 계속할 수 있습니다.',
  keyIsKept: '키는 그대로 유지되며 인증은 자동으로 이어집니다.',
  tryNow: '지금 시도',
  changeKey: '키 변경',
  useOtherKey: '다른 키 사용',

  noSeatHeading: '남은 자리가 없음',
  noSeatLead:
    '이 라이선스는 허용된 수만큼의 기기에서 사용 중입니다. 한 대를 해제하면 이 기기가 그 자리를 사용합니다.',
  deviceList: '이 라이선스를 사용하는 기기',
  activatedOn: '{date} 인증',
  thisDevice: '이 기기',
  release: '해제하고 여기에서 인증',
  chooseDevice: '해제할 기기를 선택하세요.',
  loadingDevices: '기기를 불러오는 중…',
  devicesUnavailable: '기기 목록을 가져오지 못했습니다.',
  buySeats: '자리 추가 구매',

  expiredHeading: '라이선스가 만료되었습니다',
  expiredLead: '{date}에 종료되었습니다. {app} 사용을 계속하려면 갱신하세요.',
  renew: '라이선스 갱신',
  checkAgain: '다시 확인',
  suspendedHeading: '라이선스가 정지되었습니다',
  inactiveHeading: '라이선스가 활성 상태가 아닙니다',
  reportedStatus: '보고된 상태',
  movedHeading: '이 기기가 해제되었습니다',
  activateAgain: '다시 인증하기',

  graceHeading: '오프라인으로 작업 중',
  graceLead: { other: '라이선스 서비스에 연결할 수 없습니다. {app} 사용은 {count}일 더 가능합니다.' },
  graceOverHeading: '한 번 온라인에 연결하세요',
  graceOverLead:
    '라이선스를 한동안 확인하지 못했습니다. 인터넷에 연결한 뒤 다시 확인하세요. 입력할 것은 없습니다.',

  trialHeading: { other: '체험 기간이 {count}일 남았습니다' },
  trialLead: '{date}까지 모든 기능을 사용할 수 있습니다. 라이선스 키는 언제든지 입력할 수 있습니다.',
  continueTrial: '체험 계속하기',
  trialOverHeading: '체험 기간이 끝났습니다',
  trialOverLead: '{app} 사용을 계속하려면 라이선스 키를 입력하세요.',

  storageHeading: '다시 인증해 주세요',
  notSavedHeading: '라이선스를 저장하지 못했습니다',
  refusedHeading: '라이선스 서비스가 거부했습니다',
  misconfiguredHeading: '라이선스 설정이 올바르지 않습니다',
  misconfiguredLead: '사용자의 잘못이 아닙니다. {app} 개발자에게 이 코드를 알려 주세요:',

  buy: '라이선스 구매',
  support: '도움말',
  copyDetails: '지원용 정보 복사',
  copied: '복사됨',

  problems: {
    'empty-text': '입력한 내용이 없습니다. 구매 이메일에 있는 라이선스 키를 붙여 넣으세요.',
    'no-license-key':
      '이 텍스트에는 라이선스 키가 없습니다. 구매 이메일에서 키를 복사하여 다시 붙여 넣으세요.',
    'several-license-keys': '이 텍스트에는 라이선스 키가 여러 개 있습니다. 사용할 키만 붙여 넣으세요.',
    'text-too-long': '라이선스 키로 보기에는 텍스트가 너무 깁니다. 키만 붙여 넣으세요.',
    'license-not-found': '알 수 없는 라이선스 키입니다. 키를 모두 복사했는지 확인하세요.',
    'license-expired': '이 라이선스는 만료되었습니다. 앱을 계속 사용하려면 갱신하세요.',
    'license-suspended': '이 라이선스는 정지되었습니다. 지원팀에 문의하세요.',
    'license-inactive': '이 라이선스는 활성 상태가 아닙니다. 지원팀에 문의하세요.',
    'no-seat-left':
      '이 라이선스는 허용된 수만큼의 기기에서 사용 중입니다. 여기에서 사용하려면 한 대를 해제하세요.',
    'activation-refused': '라이선스 서비스가 인증을 거부했습니다. 다시 시도하거나 지원팀에 문의하세요.',
    'activation-unconfirmed': '인증이 확인되기 전에 연결이 끊겼습니다. 다음 연결 때 완료됩니다.',
    'moved-to-another-device':
      '이 기기는 라이선스에서 해제되었습니다. 다른 기기에서 사용하기 위한 것일 수 있습니다. 여기에서 사용하려면 다시 인증하세요.',
    unconfirmed: '라이선스 서비스가 이 기기에 대해 불분명하게 응답했습니다. 다시 문의합니다.',
    'adoption-unavailable':
      '라이선스 서비스가 기기 목록을 제공하지 않아 이 기기의 이전 인증을 다시 사용할 수 없었습니다.',
    'device-not-found': '이 기기는 더 이상 라이선스에 없습니다. 목록을 새로 고치세요.',
    'deactivation-pending':
      '이 기기의 인증이 해제되었습니다. 라이선스 서비스에 연결되는 대로 자리가 비워집니다.',
    offline: '라이선스 서비스에 연결할 수 없습니다. 인터넷 연결을 확인하세요.',
    timeout: '라이선스 서비스가 제때 응답하지 않았습니다. 잠시 후 다시 시도하세요.',
    'service-error': '라이선스 서비스에 문제가 있습니다. 나중에 다시 시도하세요.',
    'rate-limited': '라이선스 서비스가 다음 시도까지 기다려 달라고 요청했습니다.',
    'incomplete-answer': '라이선스 서비스의 응답이 중간에 끊겼습니다. 잠시 후 다시 시도하세요.',
    'unexpected-answer': '라이선스 서비스가 아닌 곳에서 응답했습니다. 공용 네트워크라면 먼저 로그인하세요.',
    unauthorized:
      '라이선스 서비스가 이 앱 또는 네트워크의 요청을 받아들이지 않았습니다. 다른 네트워크를 사용하거나 지원팀에 문의하세요.',
    'untrusted-answer': '응답에 라이선스 서비스의 유효한 서명이 없습니다. 나중에 다시 시도하세요.',
    'store-empty':
      '라이선스 파일이 비어 있어 따로 옮겨 두었습니다. 다시 인증하세요. 이 기기의 자리는 유지됩니다.',
    'store-unreadable':
      '라이선스 파일이 손상되어 따로 옮겨 두었습니다. 다시 인증하세요. 이 기기의 자리는 유지됩니다.',
    'store-newer-version':
      '라이선스 파일이 더 새로운 버전의 앱에서 만들어졌습니다. 앱을 업데이트하거나 다시 인증하세요.',
    'store-undecryptable':
      '이 시스템에서 라이선스 파일을 더 이상 해독할 수 없습니다. 다시 인증하세요. 이 기기의 자리는 유지됩니다.',
    'store-edited': '라이선스 파일이 외부에서 변경되어 신뢰할 수 없습니다. 다시 인증하세요.',
    'store-restored': '라이선스 파일이 손상되어 마지막 정상 사본을 사용하고 있습니다.',
    'store-not-writable':
      '앱 폴더에 쓸 수 없어 라이선스를 저장하지 못했습니다. 종료할 때까지는 사용할 수 있습니다. 폴더 권한을 확인하세요.',
    'disk-full': '디스크가 가득 차서 라이선스를 저장하지 못했습니다. 공간을 확보한 뒤 다시 시도하세요.',
    'record-of-another-device':
      '라이선스 파일이 다른 기기에서 복사되었습니다. 이 기기에서도 사용하려면 여기에서 인증하세요.',
    'clock-behind': '이 컴퓨터의 시계가 늦습니다. 날짜와 시간을 올바르게 설정하세요.',
    'trial-over': '체험 기간이 끝났습니다. 계속하려면 라이선스 키를 입력하세요.',
    busy: '다른 라이선스 작업이 진행 중입니다. 끝날 때까지 기다려 주세요.',
    'not-activated': '이 기기에 인증된 라이선스가 없습니다.',
    misconfigured: '이 앱의 라이선스 설정이 올바르지 않습니다. 개발자에게 문의하세요.',
    unexpected: '예기치 않은 문제가 발생했습니다. 다시 시도하고, 반복되면 지원팀에 문의하세요.',
  },
}
