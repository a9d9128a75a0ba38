import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: '인터넷 없이 인증',
  lead: '휴대전화처럼 인터넷에 연결된 다른 기기가 필요합니다.',
  requestHeading: '휴대전화로 이 코드를 스캔하세요',
  requestLead: '또는 요청을 저장하고\n인터넷이 되는 기기에서 아래 주소를 여세요.',
  fileHeading: '이 요청을 다른 기기에서 여세요',
  fileLead: '요청을 저장하고\n인터넷이 되는 기기에서 아래 주소를 여세요.',
  code: '요청 QR 코드',
  address: '주소',
  request: '요청',
  saveFile: '파일로 저장',
  copyText: '텍스트로 복사',
  enterAnswer: '응답 입력',
  answerHeading: '응답을 입력하세요',
  answerLead: '인증 페이지에서 받은 파일을 선택하거나 여기에 끌어다 놓거나 텍스트를 붙여 넣으세요.',
  answer: '응답',
  chooseFile: '파일 선택',
  showRequest: '요청 보기',
  activeUntil: '{date}까지 인터넷 없이 사용할 수 있습니다.',
  licenseEnds: '라이선스 유효 기간',
  endsSoon:
    '인터넷 없는 인증이 {date}에 끝납니다.\n연장하려면 인터넷에 한 번 연결하거나 다시 인터넷 없이 인증하세요.',
  releaseHeading: '이 기기의 자리 비우기',
  releaseLead:
    '이 기기의 인증이 해제되었습니다.\n자리를 비우려면 인터넷이 되는 기기에서 이 해제 코드를 여세요.',
  releaseCode: '해제 코드',
  showRelease: '해제 코드 보기',
  problems: {
    'no-offline-answer':
      '인증 페이지의 응답이 아닙니다. 페이지에서 받은 파일을 선택하거나 텍스트를 모두 복사하세요.',
    'offline-answer-too-long':
      '이 파일은 응답이라고 하기에는 너무 큽니다. 인증 페이지에서 받은 파일을 선택하세요.',
    'offline-request-as-answer': '컴퓨터의 요청입니다. 인증 페이지에서 열고, 받은 응답을 가져오세요.',
    'online-lease-as-answer':
      '인터넷이 있는 컴퓨터에 발급된 것입니다. 여기에서 요청을 만들고 그 응답을 가져오세요.',
    'offline-answer-torn':
      '응답의 일부가 빠져 있습니다. 텍스트를 모두 복사하거나 인증 페이지에서 받은 파일을 선택하세요.',
    'offline-answer-edited':
      '응답이 도중에 변경되었습니다. 인증 페이지에서 요청을 다시 열고 파일을 그대로 가져오세요.',
    'offline-answer-unknown-key':
      '이 앱은 응답의 서명을 확인할 수 없습니다. 앱을 업데이트하거나 지원팀에 문의하세요.',
    'offline-answer-newer': '더 새로운 버전의 앱을 위한 응답입니다. 앱을 업데이트하세요.',
    'offline-answer-other-app': '다른 앱의 응답입니다. 이 앱의 요청을 인증 페이지에서 여세요.',
    'offline-answer-other-device': '다른 컴퓨터의 응답입니다. 여기에서 요청을 만들고 인증 페이지에서 여세요.',
    'offline-answer-other-request':
      '이전 요청의 응답입니다. 여기에서 새 요청을 만들고 인증 페이지에서 여세요.',
    'offline-answer-used': '이 컴퓨터에서 이미 사용한 응답입니다. 연장하려면 새 요청을 만드세요.',
    'offline-answer-expired': '응답이 만료되었습니다. 이 컴퓨터의 날짜를 확인한 다음 새 요청을 만드세요.',
  },
}
