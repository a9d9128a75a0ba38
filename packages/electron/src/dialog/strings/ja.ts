import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings = {
  starting: '準備しています…',
  enterHeading: '{app}のライセンス認証',
  enterLead: '購入メールに記載の\u200bライセンスキーを\u200b貼り付けてください。',
  keyLabel: 'ライセンスキー',
  activate: '認証する',
  activateOffline: 'インターネットなしで認証',
  checking: '確認しています…',
  working: 'お待ちください…',
  keyFound: 'キーが見つかりました。',
  useClipboard: 'クリップボードにキーが見つかりました。',
  fromLink: 'このキーは、開いたリンクから取得しました。',
  replacesLicense: '認証すると、現在のライセンスと置き換わります。',
  chooseKeyHeading: 'どれがライセンスキーですか？',
  chooseKeyLead: '貼り付けたテキストに複数のキーが含まれています。',
  chooseKey: '認証するキーを選んでください。',
  takingLong: '通常より時間がかかっています。',
  stopWaiting: '待つのをやめる',

  activatedHeading: '{app}の認証が完了しました',
  activatedLead: '準備完了です。オフラインでも使えます。',
  endsSoonLead: 'ライセンスは{date}に終了します。',
  devicesInUse: '使用中のデバイス',
  usedOfLimit: '{limit}台中{used}台',
  validUntil: '有効期限',
  updatesUntil: 'アップデート期限',
  noEndDate: '無期限',
  continue: '続ける',

  deactivate: 'このデバイスの認証を解除',
  deactivateHeading: 'このデバイスの認証を解除しますか？',
  deactivateLead:
    '別のコンピューターで使えるようになります。\nここで再び{app}を使うには、ライセンスキーを入力してください。',
  deactivateNow: '認証を解除',
  deactivated: 'このデバイスの認証を解除しました。\n1台分の空きがあります。',
  seatKept: 'このデバイスの認証を解除しました。\n以前のライセンスサービスでは、1台分がまだ使用中です。',
  cancel: 'キャンセル',

  noNetworkHeading: '接続できません',
  noAnswerHeading: 'まだ応答がありません',
  noNetworkLead: 'ライセンスサービスに接続できませんでした。',
  nextTry: '{time}後に再試行します',
  worksMeanwhile: 'その間も{app}を使い続けられます。',
  keyIsKept: 'キーは保存されています。認証は自動的に再開されます。',
  tryNow: '今すぐ再試行',
  changeKey: 'キーを変更',
  useOtherKey: '別のキーを使う',

  noSeatHeading: '空きがありません',
  noSeatLead: 'このデバイスで{app}を認証するには、1台を解除してください。',
  seatsInUse: '{limit}台中{used}台を使用中',
  deviceList: 'このライセンスを使用中のデバイス',
  activatedOn: '{date}に認証',
  thisDevice: 'このデバイス',
  release: '解除してここで認証する',
  chooseDevice: '解除するデバイスを選んでください。',
  loadingDevices: 'デバイスを読み込んでいます…',
  devicesUnavailable: 'デバイスの一覧を取得できませんでした。',
  buySeats: '台数を追加購入',
  account: 'お客様のアカウント',

  expiredHeading: 'ライセンスの期限が切れました',
  expiredLead: '{date}に終了しました。\n{app}を使い続けるには更新してください。',
  renew: 'ライセンスを更新',
  checkAgain: 'もう一度確認',
  notCoveredHeading: 'このバージョンは対象外です',
  notCoveredLead:
    'お使いのライセンスの対象は、{date}までに公開されたバージョンです。\n更新するか、以前のバージョンをお使いください。',
  coveredVersion: '以前のバージョンを入手',
  suspendedHeading: 'ライセンスは停止されています',
  inactiveHeading: 'ライセンスは有効ではありません',
  contactSupport: 'サポートにお問い合わせください。',
  reportedStatus: '通知された状態',
  movedHeading: 'このデバイスは解除されました',
  activateAgain: 'もう一度認証する',

  graceHeading: 'オフラインで動作中',
  graceLead: { other: 'ライセンスサービスに接続できませんでした。\n{app}はあと{count}日間使えます。' },
  renewalLead: {
    other: 'ライセンスが終了し、更新を確認できませんでした。\n{app}はあと{count}日間使えます。',
  },
  graceOverHeading: 'インターネットに接続してください',
  graceOverLead:
    'ライセンスがしばらく確認されていません。\n接続してもう一度確認してください。キーは不要です。',

  trialHeading: { other: '試用期間は残り{count}日です' },
  trialLead: '{date}まですべての機能を使えます。',
  trialHint: 'ライセンスキーをお持ちですか？いつでもここに貼り付けられます。',
  continueTrial: '試用を続ける',
  trialOverHeading: '試用期間が終了しました',
  trialOverLead: '{app}を使い続けるには、ライセンスキーを入力してください。',

  storageHeading: 'もう一度認証してください',
  notSavedHeading: 'ライセンスを保存できませんでした',
  refusedHeading: '認証が拒否されました',
  misconfiguredHeading: 'ライセンスの設定に誤りがあります',
  misconfiguredLead: 'お客様の操作が原因ではありません。\n{app}の開発元にこのコードをお送りください:',
  copyCode: '情報をコピー',

  buy: 'ライセンスを購入',
  help: 'ヘルプ',
  support: 'サポート',
  copyDetails: 'サポート用の情報をコピー',
  copied: 'コピーしました',

  problems: {
    'empty-text':
      '何も入力されていません。購入メールに記載の\u200bライセンスキーを\u200b貼り付けてください。',
    'no-license-key': 'このテキストにライセンスキーはありません。購入メールからコピーしてください。',
    'several-license-keys': '複数のライセンスキーが含まれています。使うものだけを貼り付けてください。',
    'text-too-long': 'ライセンスキーとしては長すぎます。キーだけを貼り付けてください。',
    'license-not-found': 'このライセンスキーは見つかりませんでした。キー全体をコピーしたか確認してください。',
    'wrong-product':
      'このライセンスキーは別の製品のものです。このアプリ用に購入した\u200bライセンスキーを使用してください。',
    'license-expired': 'このライセンスの期限が切れました。アプリを使い続けるには更新してください。',
    'license-suspended': 'このライセンスは停止されています。サポートにお問い合わせください。',
    'license-inactive': 'このライセンスは有効ではありません。サポートにお問い合わせください。',
    'no-seat-left': 'このライセンスは上限の台数まで使われています。ここで使うには、1台を解除してください。',
    'activation-refused': 'キーが拒否されました。ライセンスの期限切れまたは停止の可能性があります。',
    'activation-paused':
      'この認証は1日以上前に開始されました。完了するには、ライセンスキーをもう一度入力してください。',
    'activation-unconfirmed': '認証が確認される前に接続が切れました。完了するには、もう一度試してください。',
    'license-of-other-service':
      'このアプリは別のライセンスサービスに移行しました。新しいライセンスキーを入力してください。',
    'seat-may-be-taken':
      '認証が確認される前に接続が切れたため、すでに1台分使われている可能性があります。もう一度試すか、先にお客様のアカウントで\u200bこのデバイスを解放してください。',
    'test-license-key': 'このライセンスキーはテスト専用です。購入メールに記載のキーを使用してください。',
    'moved-to-another-device':
      'ライセンスは別のデバイスに移されたようです。ここで使うには、もう一度認証してください。',
    unconfirmed:
      'このデバイスについて、ライセンスサービスの応答がはっきりしませんでした。もう一度問い合わせます。',
    'adoption-unavailable':
      'デバイスの一覧を取得できなかったため、このデバイスの以前の認証を再利用できませんでした。',
    'devices-not-listed':
      'ライセンスサービスは\u200bアプリ内でデバイスを表示しません。お客様のアカウントでデバイスを解放してください。',
    'device-not-found': 'このデバイスはもうライセンスに含まれていません。一覧を更新してください。',
    'deactivation-pending':
      'このデバイスの認証を解除しました。ライセンスサービスに接続でき次第、空きができます。',
    offline: 'ライセンスサービスに接続できません。インターネット接続を確認してください。',
    timeout: 'ライセンスサービスが時間内に応答しませんでした。少し待ってから試してください。',
    'service-error': 'ライセンスサービスに問題が発生しています。後でもう一度試してください。',
    'rate-limited': '要求が多すぎます。後でもう一度試してください。',
    'incomplete-answer':
      'ライセンスサービスからの応答が途中で切れました。しばらくしてからもう一度お試しください。',
    'unexpected-answer':
      'ライセンスサービス以外から応答がありました。公共のネットワークでは、先にそのネットワークにログインしてください。',
    unauthorized:
      'アプリまたはネットワークからの\u200b要求は拒否されました。別のネットワークで試すか、サポートにお問い合わせください。',
    'untrusted-answer': '応答にライセンスサービスの有効な署名がありません。後でもう一度試してください。',
    'store-empty': 'ライセンスファイルが空だったため、別の場所に移しました。もう一度認証してください。',
    'store-unreadable':
      'ライセンスファイルが壊れていたため、別の場所に移しました。もう一度認証してください。',
    'store-newer-version':
      'ライセンスファイルは\u200b新しいバージョンのアプリで\u200b作られています。アプリを更新するか、もう一度認証してください。',
    'store-undecryptable':
      'このシステムでは\u200bライセンスファイルを\u200b復号できなくなりました。アプリを再起動し、キーチェーンへの\u200bアクセスを\u200b求められたら\u200b許可してください。それでも解決しない場合は、もう一度認証してください。',
    'store-edited': 'ライセンスファイルが外部から変更されたため、使用できません。もう一度認証してください。',
    'store-restored': 'ライセンスファイルが壊れていたため、直前の正常なコピーを使っています。',
    'store-not-writable':
      'アプリのフォルダーに書き込めないため、ライセンスを保存できませんでした。フォルダーの権限を確認してから、もう一度試してください。',
    'disk-full':
      'ディスクの空きがないため、ライセンスを保存できませんでした。空きを作ってからもう一度試してください。',
    'record-of-another-device':
      'ライセンスファイルは\u200b別のデバイスから\u200bコピーされたものです。このデバイスでも使うには、ここで認証してください。',
    'clock-behind': 'このコンピューターの時計が合っていません。日付と時刻を正しく設定してください。',
    'trial-over': '試用期間が終了しました。続けるにはライセンスキーを入力してください。',
    busy: '別のライセンス処理が実行中です。終わるまでお待ちください。',
    'not-activated': 'このデバイスで認証されたライセンスはありません。',
    misconfigured: 'このアプリのライセンス設定に誤りがあります。開発元にお問い合わせください。',
    unexpected: '予期しない問題が発生しました。繰り返す場合は、サポートにお問い合わせください。',
  },
}
