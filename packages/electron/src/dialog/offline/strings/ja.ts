import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'インターネットなしで認証',
  lead: 'スマートフォンなど、インターネットに接続できる別のデバイスが必要です。',
  requestHeading: 'スマートフォンで\u200bこのコードを\u200b読み取ってください',
  requestLead: 'またはリクエストを保存し、接続できるデバイスで下のアドレスを開いてください。',
  fileHeading: 'このリクエストを\u200b別のデバイスで\u200b開いてください',
  fileLead: 'リクエストを保存し、接続できるデバイスで下のアドレスを開いてください。',
  code: 'リクエストのQRコード',
  address: 'アドレス',
  request: 'リクエスト',
  saveFile: 'ファイルに保存',
  copyText: 'テキストをコピー',
  enterAnswer: '回答を入力',
  answerHeading: '回答を入力してください',
  answerLead: '認証ページのファイルを選択するか、ここにドロップするか、テキストを貼り付けてください。',
  answer: '回答',
  chooseFile: 'ファイルを選択',
  showRequest: 'リクエストを表示',
  activeUntil: '{date}までインターネットなしで使えます。',
  licenseEnds: 'ライセンスの有効期限',
  endsSoon:
    'インターネットなしの認証は\u200b{date}に終わります。\n延長するには、一度インターネットに接続するか、もう一度インターネットなしで認証してください。',
  releaseHeading: 'このデバイスの\u200b台数枠を解放',
  releaseLead:
    'このデバイスの認証を解除しました。\n台数枠を解放するには、接続できるデバイスで\u200bこの解除コードを開いてください。',
  releaseCode: '解除コード',
  showRelease: '解除コードを表示',
  problems: {
    'no-offline-answer':
      'これは認証ページの回答ではありません。ページで受け取ったファイルを選択するか、テキスト全体をコピーしてください。',
    'offline-answer-too-long':
      'このファイルは回答にしては大きすぎます。認証ページで受け取ったファイルを選択してください。',
    'offline-request-as-answer':
      'これはコンピューターのリクエストです。認証ページで開き、その回答を持ってきてください。',
    'online-lease-as-answer':
      'これはインターネットのある\u200bコンピューター向けに\u200b発行されたものです。ここでリクエストを作成し、その回答を持ってきてください。',
    'offline-answer-torn':
      '回答の一部が欠けています。テキスト全体をコピーするか、認証ページのファイルを選択してください。',
    'offline-answer-edited':
      '回答が途中で変更されています。認証ページでリクエストをもう一度開き、ファイルをそのまま持ってきてください。',
    'offline-answer-unknown-key':
      'このアプリは回答の署名を確認できません。アプリを更新するか、サポートにお問い合わせください。',
    'offline-answer-newer': 'この回答は新しいバージョンのアプリ向けです。アプリを更新してください。',
    'offline-answer-other-app':
      'この回答は別のアプリのものです。このアプリのリクエストを\u200b認証ページで開いてください。',
    'offline-answer-other-device':
      'この回答は別のコンピューターのものです。ここでリクエストを作成し、認証ページで開いてください。',
    'offline-answer-other-request':
      'この回答は以前のリクエストのものです。ここで新しいリクエストを作成し、認証ページで開いてください。',
    'offline-answer-used':
      'この回答はこのコンピューターで\u200bすでに使われています。延長するには、新しいリクエストを作成してください。',
    'offline-answer-expired':
      'この回答は期限切れです。このコンピューターの日付を確認してから、新しいリクエストを作成してください。',
  },
}
