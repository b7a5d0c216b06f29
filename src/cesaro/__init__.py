"""cesaro"""
