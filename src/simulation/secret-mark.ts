// Every simulated recipient and text holds this word, so that it can be seen where none of them belongs.
export const SECRET_MARK = 'sekret';
