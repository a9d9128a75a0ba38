import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'many' | 'other'> = {
  starting: 'Um momento…',
  enterHeading: 'Ativar {app}',
  enterLead: 'Cole a chave de licença do seu e-mail de compra.',
  keyLabel: 'Chave de licença',
  activate: 'Ativar',
  activateOffline: 'Ativar sem internet',
  checking: 'Verificando…',
  working: 'Um momento…',
  keyFound: 'Chave encontrada.',
  useClipboard: 'Chave encontrada na área de transferência.',
  fromLink: 'Esta chave vem do link que você abriu.',
  replacesLicense: 'Ativá-la substitui sua licença atual.',
  chooseKeyHeading: 'Qual é a sua chave de licença?',
  chooseKeyLead: 'O texto colado contém várias chaves.',
  chooseKey: 'Escolha a chave a ativar.',
  takingLong: 'Está demorando mais que o normal.',
  stopWaiting: 'Parar de esperar',

  activatedHeading: '{app} está ativado',
  activatedLead: 'Tudo pronto, mesmo off-line.',
  endsSoonLead: 'Sua licença termina em {date}.',
  devicesInUse: 'Dispositivos em uso',
  usedOfLimit: '{used} de {limit}',
  validUntil: 'Válida até',
  updatesUntil: 'Atualizações até',
  noEndDate: 'Sem data de término',
  continue: 'Continuar',

  deactivate: 'Desativar este dispositivo',
  deactivateHeading: 'Desativar este dispositivo?',
  deactivateLead:
    'Isso libera uma vaga para outro computador.\nPara usar {app} aqui de novo, digite sua chave de licença.',
  deactivateNow: 'Desativar',
  deactivated: 'Este dispositivo foi desativado e a vaga está livre.',
  seatKept: 'Este dispositivo foi desativado, mas a vaga no serviço de licenças anterior continua ocupada.',
  cancel: 'Cancelar',

  noNetworkHeading: 'Sem conexão',
  noAnswerHeading: 'Ainda sem resposta',
  noNetworkLead: 'Não foi possível acessar o serviço de licenças.',
  nextTry: 'Nova tentativa em {time}',
  worksMeanwhile: 'Enquanto isso, você pode continuar usando {app}.',
  keyIsKept: 'Sua chave está salva e a ativação continuará automaticamente.',
  tryNow: 'Tentar agora',
  changeKey: 'Alterar a chave',
  useOtherKey: 'Usar outra chave',

  noSeatHeading: 'Não há mais vagas',
  noSeatLead: 'Libere um dispositivo para ativar {app} neste.',
  seatsInUse: '{used} de {limit} vagas em uso',
  deviceList: 'Dispositivos que usam esta licença',
  activatedOn: 'Ativado em {date}',
  thisDevice: 'Este dispositivo',
  release: 'Liberar e ativar aqui',
  chooseDevice: 'Escolha o dispositivo a liberar.',
  loadingDevices: 'Carregando os dispositivos…',
  devicesUnavailable: 'Não foi possível listar os dispositivos.',
  buySeats: 'Comprar mais vagas',
  account: 'Conta de cliente',

  expiredHeading: 'Sua licença expirou',
  expiredLead: 'Ela terminou em {date}.\nRenove-a para continuar usando {app}.',
  renew: 'Renovar a licença',
  checkAgain: 'Verificar de novo',
  notCoveredHeading: 'Esta versão não está incluída',
  notCoveredLead:
    'Sua licença cobre as versões lançadas até {date}.\nRenove-a ou volte a uma versão anterior.',
  coveredVersion: 'Obter uma versão anterior',
  suspendedHeading: 'Sua licença está suspensa',
  inactiveHeading: 'Sua licença não está ativa',
  contactSupport: 'Fale com o suporte.',
  reportedStatus: 'Status informado',
  movedHeading: 'Este dispositivo foi liberado',
  activateAgain: 'Ativar novamente',

  graceHeading: 'Trabalhando off-line',
  graceLead: {
    one: 'Não foi possível acessar o serviço de licenças.\n{app} funciona por mais {count} dia.',
    many: 'Não foi possível acessar o serviço de licenças.\n{app} funciona por mais {count} dias.',
    other: 'Não foi possível acessar o serviço de licenças.\n{app} funciona por mais {count} dias.',
  },
  renewalLead: {
    one: 'Sua licença terminou e não foi possível verificar se houve renovação.\n{app} funciona por mais {count} dia.',
    many: 'Sua licença terminou e não foi possível verificar se houve renovação.\n{app} funciona por mais {count} dias.',
    other:
      'Sua licença terminou e não foi possível verificar se houve renovação.\n{app} funciona por mais {count} dias.',
  },
  graceOverHeading: 'Conecte-se à internet',
  graceOverLead:
    'Sua licença não é verificada há algum tempo.\nConecte-se e verifique de novo.\nVocê não precisará da chave.',

  trialHeading: {
    one: 'Falta {count} dia de avaliação',
    many: 'Faltam {count} dias de avaliação',
    other: 'Faltam {count} dias de avaliação',
  },
  trialLead: 'Tudo funciona até {date}.',
  trialHint: 'Tem uma chave de licença? Cole-a aqui quando quiser.',
  continueTrial: 'Continuar avaliando',
  trialOverHeading: 'Sua avaliação terminou',
  trialOverLead: 'Digite uma chave de licença para continuar usando {app}.',

  storageHeading: 'Ative novamente',
  notSavedHeading: 'Não foi possível salvar a licença',
  refusedHeading: 'A ativação foi recusada',
  misconfiguredHeading: 'O licenciamento não está configurado corretamente',
  misconfiguredLead: 'Não é culpa sua.\nEnvie este código ao desenvolvedor de {app}:',
  copyCode: 'Copiar detalhes',

  buy: 'Comprar uma licença',
  help: 'Ajuda',
  support: 'Obter ajuda',
  copyDetails: 'Copiar detalhes para o suporte',
  copied: 'Copiado',

  problems: {
    'empty-text': 'Nada foi digitado. Cole a chave de licença do seu e-mail de compra.',
    'no-license-key': 'Não há chave de licença neste texto. Copie-a do seu e-mail de compra.',
    'several-license-keys': 'Este texto contém mais de uma chave de licença. Cole só a que você quer usar.',
    'text-too-long': 'Este texto é longo demais para uma chave. Cole só a chave de licença.',
    'license-not-found': 'Não encontramos esta chave de licença. Confira se você a copiou inteira.',
    'wrong-product':
      'Esta chave de licença é de outro produto. Use a chave de licença que você comprou para este aplicativo.',
    'license-expired': 'Esta licença expirou. Renove-a para continuar usando o aplicativo.',
    'license-suspended': 'Esta licença está suspensa. Fale com o suporte.',
    'license-inactive': 'Esta licença não está ativa. Fale com o suporte.',
    'no-seat-left':
      'Esta licença está em uso em todos os dispositivos que permite. Libere um deles para usá-la aqui.',
    'activation-refused': 'A chave foi recusada. A licença pode ter expirado ou estar suspensa.',
    'activation-paused':
      'Esta ativação foi iniciada há mais de um dia. Insira a chave de licença novamente para concluí-la.',
    'activation-unconfirmed':
      'A conexão caiu antes de a ativação ser confirmada. Tente de novo para concluí-la.',
    'license-of-other-service':
      'Este aplicativo mudou de serviço de licenças. Digite sua nova chave de licença.',
    'seat-may-be-taken':
      'A conexão caiu antes de a ativação ser confirmada, e ela talvez já ocupe uma vaga. Tente de novo ou libere antes este dispositivo na sua conta de cliente.',
    'test-license-key': 'Esta chave de licença é só para testes. Use a chave do e-mail da compra.',
    'moved-to-another-device':
      'Sua licença deve ter sido transferida para outro dispositivo. Ative de novo para usá-la aqui.',
    unconfirmed:
      'O serviço de licenças deu uma resposta pouco clara sobre este dispositivo. Ele será consultado de novo.',
    'adoption-unavailable':
      'O serviço de licenças não listou os dispositivos, por isso uma ativação anterior deste não pôde ser reaproveitada.',
    'devices-not-listed':
      'O serviço de licenças não mostra os dispositivos no aplicativo. Libere um dispositivo na sua conta de cliente.',
    'device-not-found': 'Este dispositivo não está mais na licença. Atualize a lista.',
    'deactivation-pending':
      'Este dispositivo foi desativado. A vaga será liberada assim que o serviço de licenças puder ser acessado.',
    offline: 'Não é possível acessar o serviço de licenças. Verifique a conexão com a internet.',
    timeout: 'O serviço de licenças não respondeu a tempo. Tente daqui a pouco.',
    'service-error': 'O serviço de licenças está com problemas. Tente mais tarde.',
    'rate-limited': 'Muitas solicitações. Tente mais tarde.',
    'incomplete-answer': 'A resposta do serviço de licenças chegou incompleta. Tente daqui a pouco.',
    'unexpected-answer':
      'Quem respondeu não foi o serviço de licenças. Se você está em uma rede pública, faça login nela primeiro.',
    unauthorized:
      'O serviço de licenças não aceitou o pedido deste aplicativo ou da sua rede. Tente outra rede ou fale com o suporte.',
    'untrusted-answer': 'A resposta não traz uma assinatura válida do serviço de licenças. Tente mais tarde.',
    'store-empty': 'O arquivo de licença estava vazio e foi posto de lado. Ative de novo.',
    'store-unreadable': 'O arquivo de licença estava danificado e foi posto de lado. Ative de novo.',
    'store-newer-version':
      'O arquivo de licença é de uma versão mais nova do aplicativo. Atualize o aplicativo ou ative de novo.',
    'store-undecryptable':
      'O arquivo de licença não pode mais ser decifrado neste sistema. Reinicie o aplicativo e, se for pedido, permita o acesso às chaves do sistema. Se não resolver, ative de novo.',
    'store-edited': 'O arquivo de licença foi alterado por fora e não é confiável. Ative de novo.',
    'store-restored': 'O arquivo de licença estava danificado; a última cópia boa está em uso.',
    'store-not-writable':
      'Não foi possível salvar a licença porque a pasta do aplicativo não aceita gravação. Verifique as permissões da pasta e tente novamente.',
    'disk-full':
      'Não foi possível salvar a licença porque o disco está cheio. Libere espaço e tente novamente.',
    'record-of-another-device':
      'O arquivo de licença foi copiado de outro dispositivo. Ative a licença aqui para usá-la também neste.',
    'clock-behind': 'O relógio deste computador está errado. Ajuste a data e a hora.',
    'trial-over': 'A avaliação terminou. Digite uma chave de licença para continuar.',
    busy: 'Outra operação de licença ainda está em andamento. Espere até que termine.',
    'not-activated': 'Nenhuma licença está ativada neste dispositivo.',
    misconfigured:
      'O licenciamento não está configurado corretamente neste aplicativo. Fale com o desenvolvedor.',
    unexpected: 'Algo inesperado deu errado. Tente novamente ou fale com o suporte.',
  },
}
