import type { PageTexts } from '../page-texts.ts'

export const pt: PageTexts = {
  title: 'Ativar um computador sem internet',
  lead: 'Abra o pedido ou o código de liberação que o aplicativo mostra nesse computador.',
  chooseFile: 'Escolher arquivo',
  pasteLabel: 'Ou cole o texto',
  continue: 'Continuar',
  device: 'Computador',
  license: 'Chave de licença',
  app: 'Aplicativo',
  confirm: 'Ativar este computador?',
  activate: 'Ativar',
  working: 'Um momento…',
  doneHeading: 'Leve esta resposta ao computador',
  doneLead:
    'No aplicativo, escolha o arquivo ou cole o texto. A resposta vale uma vez e só nesse computador.',
  validUntil: 'Válida até {date}',
  saveFile: 'Salvar o arquivo da resposta',
  copy: 'Copiar o texto',
  copied: 'Copiado',
  answerText: 'Texto da resposta',
  answerCode: 'Resposta como código QR',
  seatsHeading: 'Todas as vagas desta licença estão em uso',
  seatsLead: 'Libere um dispositivo para ativar este computador.',
  seatsUnlisted:
    'Desative o aplicativo em outro computador ou fale com o suporte dele. Depois, tente de novo.',
  release: 'Liberar {name}',
  startOver: 'Começar de novo',
  releaseConfirm: 'Liberar a vaga deste computador?',
  deactivated: 'Desativado',
  freeSeat: 'Liberar vaga',
  freedHeading: 'A vaga está livre',
  freedLead: 'Agora você pode ativar outro computador com esta licença.',
  alreadyFreed: 'Esta vaga já estava livre. Não há mais nada a fazer.',
  problems: {
    noRequest:
      'Isto não é um pedido do aplicativo. Escolha o arquivo ou copie o texto que o aplicativo mostra.',
    torn: 'Falta uma parte do pedido. Copie tudo ou escolha o arquivo.',
    newer: 'O aplicativo é mais recente que esta página. Fale com quem o desenvolve.',
    releaseTorn: 'Falta uma parte do código de liberação. Copie tudo ou escolha o arquivo.',
    releaseEdited: 'O código de liberação foi alterado no caminho. Traga-o de novo. A vaga continua ocupada.',
    releaseUnknownKey:
      'Esta página não reconhece o código de liberação. Fale com o suporte do aplicativo. A vaga continua ocupada.',
    unknown: 'Não encontramos esta chave de licença. Confira-a no aplicativo e crie um novo pedido.',
    wrongProduct: 'Esta chave de licença é de outro produto. Digite a certa no aplicativo.',
    expired: 'Esta licença expirou. Renove-a e tente de novo.',
    notActive: 'Esta licença não está ativa. Fale com o suporte.',
    refused:
      'A ativação foi recusada. Talvez não haja mais vagas ou a licença não esteja ativa. Fale com o suporte.',
    tooMany: 'Pedidos demais. Tente de novo em um minuto.',
    unavailable: 'Não conseguimos acessar o serviço de licenças. Tente de novo em instantes.',
  },
}
