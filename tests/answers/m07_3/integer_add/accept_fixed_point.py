import torch


def integer_add(a, s_a, z_a, b, s_b, z_b, s_y, z_y):
    m_a, m_b = round(s_a / s_y * 2**20), round(s_b / s_y * 2**20)
    total = (a.to(torch.int64) - z_a) * m_a + (b.to(torch.int64) - z_b) * m_b
    return (((total + 2**19) >> 20) + z_y).clamp(-128, 127).to(torch.int8)
