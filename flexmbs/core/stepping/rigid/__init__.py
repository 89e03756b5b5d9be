"""Events of rigid contacts: impacts, and who slides, sticks or parts behind them."""
