import type { OfflineStrings } from './offline-strings.ts'

export const strings: OfflineStrings = {
  heading: 'Ativar sem internet',
  lead: 'Você precisa de outro dispositivo com internet, como um celular.',
  requestHeading: 'Escaneie este código com um celular',
  requestLead: 'Ou salve o pedido e abra o endereço abaixo em um dispositivo com internet.',
  fileHeading: 'Abra este pedido em outro dispositivo',
  fileLead: 'Salve o pedido e abra o endereço abaixo em um dispositivo com internet.',
  code: 'O pedido como código QR',
  address: 'Endereço',
  request: 'Pedido',
  saveFile: 'Salvar como arquivo',
  copyText: 'Copiar como texto',
  enterAnswer: 'Inserir resposta',
  answerHeading: 'Insira a resposta',
  answerLead: 'Escolha o arquivo da página de ativação, solte-o aqui ou cole o texto.',
  answer: 'Resposta',
  chooseFile: 'Escolher arquivo',
  showRequest: 'Ver o pedido',
  activeUntil: 'Ativado sem internet até {date}.',
  licenseEnds: 'Licença válida até',
  endsSoon:
    'A ativação sem internet termina em {date}.\nPara renovar, conecte-se uma vez à internet ou ative de novo sem internet.',
  releaseHeading: 'Libere a vaga deste dispositivo',
  releaseLead:
    'Este dispositivo foi desativado.\nPara liberar a vaga, abra este código de liberação em um dispositivo com internet.',
  releaseCode: 'Código de liberação',
  showRelease: 'Ver o código de liberação',
  problems: {
    'no-offline-answer':
      'Isto não é uma resposta da página de ativação. Escolha o arquivo que a página deu ou copie todo o texto.',
    'offline-answer-too-long':
      'Este arquivo é grande demais para ser uma resposta. Escolha o que a página de ativação deu.',
    'offline-request-as-answer':
      'Este é o pedido de um computador. Abra-o na página de ativação e traga a resposta.',
    'online-lease-as-answer':
      'Isto foi emitido para um computador com internet. Crie um pedido aqui e traga a resposta.',
    'offline-answer-torn':
      'Falta uma parte da resposta. Copie todo o texto ou escolha o arquivo da página de ativação.',
    'offline-answer-edited':
      'A resposta foi alterada no caminho. Abra de novo o pedido na página de ativação e traga o arquivo sem alterações.',
    'offline-answer-unknown-key':
      'Este aplicativo não reconhece a assinatura da resposta. Atualize o aplicativo ou fale com o suporte.',
    'offline-answer-newer': 'A resposta é para uma versão mais nova deste aplicativo. Atualize-o.',
    'offline-answer-other-app':
      'Esta resposta é para outro aplicativo. Abra o pedido deste aplicativo na página de ativação.',
    'offline-answer-other-device':
      'Esta resposta é para outro computador. Crie um pedido aqui e abra-o na página de ativação.',
    'offline-answer-other-request':
      'Esta resposta é de um pedido anterior. Crie um novo aqui e abra-o na página de ativação.',
    'offline-answer-used':
      'Esta resposta já foi usada neste computador. Para renovar a ativação, crie um novo pedido.',
    'offline-answer-expired':
      'Esta resposta expirou. Verifique a data deste computador e crie um novo pedido.',
  },
}
